export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  button.onclick = () => navigator.clipboard?.writeText(location.href).then(() => {
    button.textContent = "Link copied";
    setTimeout(() => (button.textContent = "Copy link"), 2000);
  });
}
