// Asks for another run after a change of theme, which repaints everything but the charts, whose colours Python sets, and
// when the browser has connected again: what it had asked for as the connection ended may be lost. Settings that were
// open before a reload would cover a phone: a touch beside them closes them. The next visit begins in the same theme. Tables
// that are cut off at their right say so.
let isFirst = true;
export default function ({ parentElement, setTriggerValue }) {
  const ground = parentElement.querySelector("i"), app = document.querySelector("[data-test-connection-state]");
  if (isFirst) app?.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
  isFirst = false;
  localStorage.setItem("tiecore_scheme", getComputedStyle(ground).colorScheme);
  const ask = () => setTriggerValue("need", Date.now());
  ground.addEventListener("transitionend", ask);
  const watch = new MutationObserver(() => app.dataset.testConnectionState === "CONNECTED" && ask());
  if (app) watch.observe(app, { attributeFilter: ["data-test-connection-state"] });
  const isCutOff = (part) =>
    part.scrollWidth > part.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(part).overflowX);
  const look = () => document.querySelectorAll("[class*=_sideways], [class*=st-key-data_features]").forEach((box) => {
    sizes.observe(box);
    box.classList.toggle("cut-off", [...box.querySelectorAll("div")].some(isCutOff));
  });
  const sizes = new ResizeObserver(look), parts = new MutationObserver(() => requestAnimationFrame(look));
  parts.observe(app ?? document.body, { childList: true, subtree: true });
  return () => {
    sizes.disconnect();
    parts.disconnect();
    ground.removeEventListener("transitionend", ask);
    watch.disconnect();
  };
}
