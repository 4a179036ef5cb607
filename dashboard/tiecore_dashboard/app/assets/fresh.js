// Asks for another run after a change of theme, which repaints everything but the charts, whose colours Python sets, and
// when the browser has connected again: what it had asked for as the connection ended may be lost.
export default function ({ parentElement, setTriggerValue }) {
  const ground = parentElement.querySelector("i"), app = document.querySelector("[data-test-connection-state]");
  const ask = () => setTriggerValue("need", Date.now());
  ground.addEventListener("transitionend", ask);
  const watch = new MutationObserver(() => app.dataset.testConnectionState === "CONNECTED" && ask());
  if (app) watch.observe(app, { attributeFilter: ["data-test-connection-state"] });
  return () => {
    ground.removeEventListener("transitionend", ask);
    watch.disconnect();
  };
}
