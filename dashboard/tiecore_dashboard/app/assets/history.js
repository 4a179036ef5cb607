// Back undoes a change of settings: Streamlit writes them into the address, but without a step in the history.
export default function () {
  let shown = location.href, arrived = performance.now();
  const samePage = () => new URL(shown).pathname === location.pathname;
  const watch = setInterval(() => {
    const here = location.href, now = performance.now();
    if (here === shown) return;
    if (!samePage()) arrived = now;
    else if (navigator.userActivation?.isActive && now - arrived > 2000) { // not what a page writes as it opens
      history.replaceState(history.state, "", shown);
      history.pushState(history.state, "", here);
    }
    shown = here;
  }, 200);
  const back = () => samePage() && location.href !== shown && location.reload();
  addEventListener("popstate", back);
  return () => {
    clearInterval(watch);
    removeEventListener("popstate", back);
  };
}
