// Asks for another run after a change of theme, which repaints everything but the charts, whose colours Python sets, and
// when the browser has connected again: what it had asked for as the connection ended may be lost. Settings that were
// open before a reload would cover a phone: a touch beside them closes them. The next visit begins in the same theme. Tables
// that are cut off at their right say so. A finger on a chart moves the page: Plotly takes touches for drags where clicks
// are asked for, and knows a tap by the mouse that a browser makes of it. The pair of a verdict that was clicked on,
// or of a cell of a map above it, is brought into view, until the visitor moves on.
let isFirst = true, before; // the pair as its map was touched
const namesOf = (pair) => [...pair.querySelectorAll("input")].map((input) => input.value).join("\n");
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
    const inner = [...box.querySelectorAll("div")];
    [box, ...inner].forEach((part) => sizes.observe(part));
    box.toggleAttribute("data-cut-off", inner.some(isCutOff)); // no class: Streamlit writes these anew
  });
  const seek = () => { // what comes above it later moves it away again
    const pair = document.querySelector(".st-key-pairs_chosen"), since = Date.now() - sessionStorage.getItem("tiecore_pair");
    const isOther = pair && namesOf(pair) !== before;
    if (isOther && since < 8000 && pair.getBoundingClientRect().top > innerHeight / 3) pair.scrollIntoView();
  };
  const leave = ({ target }) => {
    const map = target.closest?.("[class*=st-key-pairs_map]"), pair = map && document.querySelector(".st-key-pairs_chosen");
    const isBelow = pair && pair.getBoundingClientRect().top > map.getBoundingClientRect().bottom;
    before = isBelow ? namesOf(pair) : null;
    if (isBelow) sessionStorage.setItem("tiecore_pair", Date.now());
    else sessionStorage.removeItem("tiecore_pair");
  };
  const touches = ["pointerdown", "wheel", "keydown"];
  touches.forEach((touch) => addEventListener(touch, leave, { passive: true }));
  const spare = (event) => event.target instanceof SVGElement && event.target.closest("[class*=_box]") && event.stopPropagation();
  addEventListener("touchstart", spare, { capture: true, passive: true });
  let frame; // one look a frame, however many parts come in it
  const parts = new MutationObserver(() => (frame ??= requestAnimationFrame(() => [(frame = null), look(), seek()])));
  const sizes = new ResizeObserver(look);
  parts.observe(app ?? document.body, { childList: true, subtree: true });
  return () => {
    touches.forEach((touch) => removeEventListener(touch, leave));
    removeEventListener("touchstart", spare, { capture: true });
    sizes.disconnect();
    parts.disconnect();
    ground.removeEventListener("transitionend", ask);
    watch.disconnect();
  };
}
