// Sends what is dropped in, file by file, and then tells the page what has come.
export default function ({ parentElement, data, setTriggerValue }) {
  const area = parentElement.querySelector("label"), input = area.querySelector("input");
  const status = parentElement.querySelector("[role=status]");
  area.querySelector("strong").textContent = data.what;
  area.classList.toggle("small", data.isSmall);
  const send = async (files) => {
    const come = [], drop = crypto.getRandomValues(new Uint8Array(16)).join("-");
    for (const [place, file] of [...files].entries()) {
      status.textContent = `Sending ${file.name} (${place + 1} of ${files.length})`;
      const one = { name: file.name, size: file.size, id: "" };
      if (file.size <= data.most) {
        const headers = { "x-file-name": encodeURIComponent(file.name), "x-drop": drop };
        const answer = await fetch(data.address, { method: "POST", body: file, headers }).catch(() => null);
        if (answer?.ok) one.id = await answer.text();
      }
      come.push(one);
    }
    const lost = come.filter((one) => !one.id).map((one) => one.name);
    status.textContent = lost.length ? `Not sent: ${lost.slice(0, 4).join(", ")}${lost.length > 4 ? " and more" : ""}` : "";
    input.value = "";
    if (come.length) setTriggerValue("files", come);
  };
  input.onchange = () => send(input.files);
  area.ondragover = (event) => { event.preventDefault(); area.classList.add("over"); };
  area.ondragleave = () => area.classList.remove("over");
  area.ondrop = (event) => {
    event.preventDefault();
    area.classList.remove("over");
    send(event.dataTransfer.files);
  };
}
