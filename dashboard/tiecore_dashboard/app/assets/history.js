// Back undoes a change of settings. Streamlit writes what a visitor sets into the address without a step in the history,
// but makes a step for each setting that a script changes: several at once would be steps through views that nobody saw.
export default function () {
  let shown = location.href, latest = shown, arrived = performance.now(), steps = history.length;
  const samePage = () => new URL(shown).pathname === location.pathname;
  const see = (address) => history.replaceState({ ...history.state, seen: true }, "", address);
  const watch = setInterval(() => {
    const here = location.href, now = performance.now();
    if (here !== latest) return (latest = here); // at once it would take its time from what draws the page (waits)
    if (here === shown) return;
    if (!samePage()) arrived = now;
    else if (history.length === steps && navigator.userActivation?.isActive && now - arrived > 2000) { // not as a page opens
      see(shown);
      history.pushState(history.state, "", here);
    }
    if (!history.state?.seen) see();
    [shown, steps] = [here, history.length];
  }, 200);
  const back = () => {
    if (!samePage() || location.href === shown) return;
    if (history.state?.seen) location.reload();
    else history.back();
  };
  see();
  addEventListener("popstate", back);
  return () => {
    clearInterval(watch);
    removeEventListener("popstate", back);
  };
}
