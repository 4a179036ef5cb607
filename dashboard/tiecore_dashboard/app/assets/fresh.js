// Asks for another run after a change of theme, which repaints everything but the charts, whose colours Python sets, and
// when the browser has connected again: what it had asked for as the connection ended may be lost.
// The drawer with the settings, which covers a phone, is closed as the page opens, however it was left, and by Escape.
const close = () => innerWidth < 768 && document.querySelector("section.stSidebar")?.getBoundingClientRect().x === 0 &&
  document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
let isOpened = false;

export default function ({ parentElement, setTriggerValue }) {
  const ground = parentElement.querySelector("i"), app = document.querySelector("[data-test-connection-state]");
  const ask = () => setTriggerValue("need", Date.now());
  ground.addEventListener("transitionend", ask);
  const watch = new MutationObserver(() => app.dataset.testConnectionState === "CONNECTED" && ask());
  if (app) watch.observe(app, { attributeFilter: ["data-test-connection-state"] });
  if (!isOpened) close();
  isOpened = true;
  const onKey = (event) => event.key === "Escape" && !event.defaultPrevented && close();
  addEventListener("keydown", onKey);
  return () => {
    removeEventListener("keydown", onKey);
    ground.removeEventListener("transitionend", ask);
    watch.disconnect();
  };
}
