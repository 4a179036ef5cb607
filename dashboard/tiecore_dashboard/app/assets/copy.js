// Copies the address of the view, or a picture that Python has made.
export default function ({ parentElement, data }) {
  const button = parentElement.querySelector("button"), what = data ? "image" : "link";
  const copy = async () => data
    ? navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([data], { type: "image/png" }) })])
    : navigator.clipboard.writeText(location.href);
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => (button.textContent = `Copy ${what}`), 2000);
  };
  button.textContent = `Copy ${what}`;
  button.onclick = () => copy().then(() => say(`${data ? "Image" : "Link"} copied`), () => say("The browser forbids it"));
}
