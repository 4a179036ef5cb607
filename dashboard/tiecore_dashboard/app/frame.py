"""What Streamlit's theme cannot express: a few rules of style, and charts that follow a change of theme."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

__all__ = ["dress"]

_CSS = """
.answer p { font-size: 1.2rem; line-height: 1.4; margin: 0 0 .2rem 0; text-wrap: pretty; }
.answer em { font-style: normal; font-weight: 650; border-bottom: 2px solid currentColor; }
.answer ul { margin: 0; padding-left: 1.1rem; line-height: 1.5; }
.answer li { margin: 0; }
.answer ul:has(> li:only-child) { list-style: none; padding-left: 0; }
.answer abbr { text-decoration: underline dotted; cursor: help; white-space: nowrap; }
.answer { overflow-wrap: anywhere; max-width: 62rem; }
.st-key-readings td:last-child { overflow-wrap: anywhere; }
.st-key-strip { margin-top: -.3rem; }
.head { display: flex; flex-flow: row wrap; align-items: baseline; gap: .1rem .8rem; }
.head p, .head h1 { margin: 0; padding: 0; }
.head h1 { font-size: 1.6rem; font-weight: 650; line-height: 1.2; }
.head p { color: light-dark(#5b6675, #a3adbb); }
[data-testid="stMainBlockContainer"] { padding-top: 3.35rem; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: .45rem; }
.strip { display: flex; flex-wrap: wrap; align-items: center; gap: .15rem .6rem; margin: 0; font-size: .9rem;
  color: var(--muted); }
.strip > span:has(+ span)::after { content: "·"; margin-left: .6rem; }
ul.warnings { margin: 0; padding: 0 !important; list-style: none; font-size: .9rem; line-height: 1.4;
  color: var(--text); max-width: 62rem; }
.warnings li { padding-left: 1.3rem; margin: 0 !important; }
.warnings li::before { content: "⚠"; color: var(--amber); margin-left: -1.3rem; display: inline-block; width: 1.3rem; }
.strip button { font: inherit; color: var(--link); background: none; border: 0; padding: .1rem .2rem; cursor: pointer;
  text-decoration: underline; text-underline-offset: .2em; }
/* small print of Streamlit is fainter than 4.5:1, and so are chips in the dark */
[data-testid="stCaptionContainer"], [data-testid="stCaptionContainer"] p { color: inherit !important; opacity: 1; }
[data-testid="stCaptionContainer"] { opacity: .8; }
[data-tag] { color: light-dark(#ffffff, #10151d) !important; }
[data-tag] * { color: inherit !important; fill: currentColor; }
[data-testid*="-primary"], [data-testid*="-primary"] p { color: light-dark(#ffffff, #10151d) !important; }
[data-testid="stHtml"]:has(> .side-by-side) { container-type: inline-size; }
.side-by-side { display: flex; gap: 0 .6rem; align-items: flex-start; }
.side-by-side > .leaderboard { flex: auto; min-width: 0; }
.leaderboard { color: var(--text); font-size: .9rem; max-width: 100%; }
.leaderboard table { border-collapse: separate; border-spacing: 0; width: 100%; font-variant-numeric: tabular-nums; }
.leaderboard th, .leaderboard td { height: var(--row); box-sizing: border-box; padding: 0 .55rem; white-space: nowrap;
  border: 0; border-bottom: 1px solid var(--grid); font-weight: 400; text-align: left; line-height: 1.15; }
.leaderboard thead th { height: var(--head); position: sticky; top: 0; z-index: 2; background: var(--ground);
  vertical-align: bottom; padding-bottom: .35rem; color: var(--muted); }
.leaderboard thead button { all: unset; cursor: pointer; display: block; width: 100%; white-space: nowrap; }
.leaderboard thead .verdict button, .leaderboard thead .tie-break button { white-space: normal; overflow-wrap: normal; }
.leaderboard thead button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.leaderboard thead th[aria-sort=ascending] button::after { content: " ↑"; }
.leaderboard thead th[aria-sort=descending] button::after { content: " ↓"; }
.leaderboard .number { text-align: right; }
.leaderboard .small { color: var(--muted); font-size: .8rem; }
.leaderboard thead .small { display: block; white-space: nowrap; }
.leaderboard .set { display: inline-block; min-width: 3.1em; padding-left: .45rem; text-align: left; }
.leaderboard td.place { font-weight: 600; }
.leaderboard td.place .small { font-weight: 400; }
.leaderboard tbody tr { cursor: pointer; }
.leaderboard tbody tr:hover > * { background: var(--panel); }
.leaderboard tbody tr.marked > * { background: var(--chosen); }
.leaderboard tbody th.name { font-weight: 600; }
.leaderboard tbody th.name i { font-style: normal; white-space: pre; }
.leaderboard .bars { width: 45%; min-width: 140px; padding: 0 .8rem; }
.leaderboard .bar, .leaderboard .axis { position: relative; display: block; height: 100%; }
.leaderboard td.bars { height: var(--row); }
.leaderboard .bar { height: calc(var(--row) - 1px); background: var(--ticks); }
.leaderboard .axis { height: 1.2rem; font-size: .8rem; }
.leaderboard .axis span { position: absolute; white-space: nowrap; transform: translateX(-50%); bottom: 0; }
.leaderboard .bar i { position: absolute; font-style: normal; min-width: 1px; border-radius: 2px; }
.leaderboard i.queries { top: 28%; height: 38%; background: var(--queries); }
.leaderboard i.ties { top: 38%; height: 18%; background: var(--ties); }
.leaderboard i.extremes { top: calc(47% - 1px); height: 2px; background: var(--extremes); }
.leaderboard i.dot { width: 9px; height: 9px; margin-left: -4.5px; top: calc(47% - 4.5px); border-radius: 50%;
  background: var(--text); box-shadow: 0 0 0 1.5px var(--ground); }
/* the bar moves up where marks of tie-breaks stand below it */
.leaderboard .with-marks i.queries { top: 11%; height: 34%; } .leaderboard .with-marks i.ties { top: 20%; height: 16%; }
.leaderboard .with-marks i.extremes { top: calc(28% - 1px); } .leaderboard .with-marks i.dot { top: calc(28% - 4.5px); }
.leaderboard i.mark { font-size: 9px; line-height: 9px; width: 12px; margin: -4.5px 0 0 -6px; text-align: center;
  color: var(--text); text-shadow: 0 0 1px var(--ground), 0 0 1px var(--ground); }
.leaderboard.dense i.mark { font-size: 8px; }
.leaderboard.dense i.dot { width: 7px; height: 7px; margin: 1px 0 0 -3.5px; box-shadow: 0 0 0 1px var(--ground); }
.leaderboard .glyph { color: var(--text); }
/* beside the rows of the leaderboard, so as high as its titles and rows are */
.courses { flex: none; color: var(--muted); font-size: .8rem; line-height: 1.25; }
.courses .titles { display: flex; height: var(--head); align-items: flex-end; padding-bottom: .35rem;
  box-sizing: border-box; text-align: center; }
.courses .titles span { flex: none; width: var(--step); white-space: nowrap; }
.courses .course-rows { position: relative; width: calc(var(--width) + var(--names)); }
.courses img { display: block; max-width: none; }
.courses .course-rows > :not(img) { position: absolute; cursor: pointer; }
.courses i { width: 18px; height: 18px; margin: -9px 0 0 -9px; }
.courses .course-rows span { left: var(--width); transform: translateY(-50%); white-space: nowrap; }
.courses .chosen { color: var(--text); } .courses .same { display: none; }
@container (max-width: 880px) {
  .side-by-side { flex-direction: column; }
  .side-by-side > .leaderboard { width: 100%; }
  .courses .same { display: block; }
  .courses .course-rows { width: calc(var(--width) + var(--all-names)); max-width: 100cqi; }
  .courses .course-rows span { max-width: calc(100cqi - var(--width)); overflow: hidden; text-overflow: ellipsis; }
}
@container (min-width: 881px) {
  .side-by-side:has(.courses) th.name .begin { display: inline-block; max-width: 9rem; vertical-align: bottom;
    overflow: hidden; text-overflow: ellipsis; }
}
/* the rows of a table that has been sorted say no more whose courses stand beside them */
.side-by-side.sorted .same { display: block; }
.side-by-side.sorted .course-rows { width: calc(var(--width) + var(--all-names)); }
.badge { display: inline-block; padding: .05rem .45rem; border-radius: 1rem; background: var(--panel);
  border: 1px solid var(--grid); }
.badge.clear { background: var(--accent); border-color: var(--accent); color: var(--ground); }
.badge.open { border-color: var(--bad); }
.leaderboard .badge { font-size: .82rem; line-height: 1.25; }
.leaderboard .proof { display: block; margin-top: 2px; font-size: .72rem; line-height: 1; }
.leaderboard.dense .proof { display: none; }
p.verdict { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .8rem; margin: 0; font-size: .95rem;
  color: var(--text); }
p.verdict .proof { margin: 0; } p.verdict .small { color: var(--muted); }

.leaderboard .moved { display: inline-block; min-width: 2em; padding-left: .35rem; text-align: left;
  font-size: .85rem; }
.leaderboard .up { color: var(--good); } .leaderboard .down { color: var(--bad); }
.leaderboard .still { color: var(--muted); }
.legend { display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: 0; font-size: .8rem; color: var(--muted, inherit); }
.legend span { display: inline-flex; align-items: center; gap: .35rem; } .legend i { font-style: normal; }
.legend .swatch { width: 14px; height: 10px; border-radius: 2px; box-sizing: border-box; }
[data-testid="stHtml"]:has(> .legend:only-child) { margin-bottom: -.7rem; }
.of-leaderboard { margin-top: .4rem; } .of-leaderboard .glyph { font-size: 11px; color: var(--text); }
.of-leaderboard .dot { width: 9px; height: 9px; border-radius: 50%; background: var(--text); }
.of-leaderboard .key { width: 18px; height: 10px; border-radius: 2px; background: var(--queries); }
.of-leaderboard .key.ties { height: 6px; background: var(--ties); }
.of-leaderboard .key.extremes { height: 2px; background: var(--extremes); }
[data-testid="stHtml"]:has(> .of-leaderboard:first-child) { margin-bottom: -.4rem; }
.notes { margin: 0; font-size: .875rem; line-height: 1.45; opacity: .8; }
.leaderboard.columns-tie-breaks, .leaderboard.columns-numbers { overflow-x: auto; }
@media (max-width: 640px) {
  .leaderboard.columns-answer .bars, .leaderboard.columns-answer .letters { display: none; }
  .notes.columns-answer .on-letters { display: none; }
  .leaderboard.columns-answer .proof { display: none; }
  .of-leaderboard { display: none; }
  /* without the bars it is there for the signs above the courses */
  .side-by-side:has(.signs) + .of-leaderboard { display: flex; }
  .of-leaderboard span:has(.key) { display: none; }
  .leaderboard th, .leaderboard td { padding: 0 .3rem; }
  .leaderboard tbody th.name { max-width: 7.2rem; }
  .leaderboard tbody th.name span { display: flex; }
  .leaderboard tbody th.name .begin { overflow: hidden; text-overflow: ellipsis; }
  .leaderboard .badge { padding: .05rem .3rem; } .head p { display: none; }
  .strip { font-size: .84rem; gap: .1rem .35rem; } .strip > span:has(+ span)::after { margin-left: .35rem; }
  /* it belongs to the bars, which have no room here */
  [data-testid="stElementContainer"]:has(> .st-key-ranking_range), .st-key-ranking_range { display: none; }
}
[data-testid="stMainBlockContainer"] {
  padding-left: clamp(1rem, 2.5vw, 2.5rem); padding-right: clamp(1rem, 2.5vw, 2.5rem);
}
/* all pages are one touch away where Streamlit hides them behind the button that opens the settings */
.phone-pages { display: none; }
@media (max-width: 767px) {
  .phone-pages { display: flex; position: fixed; inset: auto 0 0 0; z-index: 99; border-top: 1px solid;
    padding: .1rem .2rem calc(.1rem + env(safe-area-inset-bottom)); background: light-dark(#f5f7fa, #151b25);
    border-color: light-dark(#dde3ea, #2c3644); }
  .phone-pages a { flex: 1 1 0; min-width: 0; flex-direction: column; gap: 0; padding: .25rem 0; margin: 0;
    min-height: 3rem; justify-content: center; }
  .phone-pages a > span:last-child { font-size: .72rem; line-height: 1.3; }
  .phone-pages a * { color: light-dark(#3b4554, #c3ccd8) !important; }
  [data-testid="stMainBlockContainer"] { padding-bottom: 5.5rem; }
}
/* without their signs all pages fit beside the settings, and none hides behind "more" */
@media (min-width: 768px) and (max-width: 1150px) {
  [data-testid="stTopNav"] { flex: 1 1 auto; }
  [data-testid="stTopNavLink"] > span:first-child { display: none; }
  [data-testid="stTopNavLink"] { padding-left: .45rem; padding-right: .45rem; }
}
/* the pages are one stop of the keyboard; the arrow keys go from one to the next */
[data-testid="stTopNav"]:has(a:focus-visible)::after { content: "← →"; align-self: center; padding: 0 .6rem;
  font-size: .85rem; opacity: .8; }
/* what stands side by side needs room: on a narrow screen, or under a large zoom, it stands below each other */
@media (max-width: 1000px) {
  [data-testid="stMain"] [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  [data-testid="stMain"] [data-testid="stColumn"] { min-width: calc(100% - 1.5rem); }
}
:is(.st-key-pairs_verdict, .st-key-queries_order) [data-testid="stButtonGroup"] > * { flex-wrap: wrap; }
.st-key-data_summary a { background: light-dark(#006aa6, #4da3dc); padding: .35rem .75rem; border-radius: .4rem; }
.st-key-data_summary a:hover { opacity: .9; }
.st-key-data_summary a * { color: light-dark(#ffffff, #10151d) !important; }
.st-key-ties_card { gap: .35rem; padding: .6rem .8rem; }
.st-key-ties_card button { min-height: 0; padding: .1rem .6rem; }
[data-testid="stFileUploaderDropzoneInstructions"] > * { display: none; }
[data-testid="stFileUploaderDropzoneInstructions"]::after {
  content: "or drop them here, up to 200 MB each"; opacity: .7;
}
[class*="st-key-progress"] { position: sticky; top: 4rem; z-index: 5; }
.st-key-behind_the_scenes, :has(> .st-key-behind_the_scenes) { display: none !important; }
"""
# A change of theme repaints everything but the charts, which are drawn in its colours by Python: so it asks for a run.
_THEME = """
(() => {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app.dataset.followsTheme) return;
  app.dataset.followsTheme = "yes";
  const ground = () => getComputedStyle(app).backgroundColor;
  let seen = ground();
  new MutationObserver(() => {
    if (ground() === seen) return;
    seen = ground();
    document.querySelector(".st-key-theme_changed button")?.click();
  }).observe(app, { attributes: true, attributeFilter: ["class", "style"] });
})();
"""
# Twenty stops of the keyboard stood before the content: seven links, the way home which is the first of them, and small
# buttons beside the settings, which repeat in a bubble what the page Method tells, or what Backspace does. On a narrow
# screen Streamlit keeps the links in the sidebar, out of sight: a bar below the page repeats them and passes clicks on,
# for links of Streamlit's own would be drawn anew with every change.
_LINKS = """
(() => {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app.dataset.showsPages) return;
  app.dataset.showsPages = "yes";
  const links = () => [...document.querySelectorAll("[data-testid=stTopNavLink]")]
    .filter((link) => !link.closest("[aria-hidden=true]"));
  const only = (kept) => links().forEach((link) => (link.tabIndex = link === kept ? 0 : -1));
  const passed = "[data-testid=stLogoLink], [data-testid=stSidebarHeader] button[aria-label*=home], "
    + "[data-testid=stHeader] button[aria-label*=home], "
    + "[data-testid=stSidebar] [data-testid=stTooltipIcon] button, "
    + "[data-testid=stSidebar] button[aria-label='Clear all']";
  const thin = () => {
    const all = links();
    if (!all.includes(document.activeElement)) only(all.find((link) => link.ariaCurrent === "page") ?? all[0]);
    document.querySelectorAll(passed).forEach((button) => button.tabIndex !== -1 && (button.tabIndex = -1));
  };
  const bar = document.createElement("nav");
  bar.className = "phone-pages";
  bar.setAttribute("aria-label", "All pages");
  app.append(bar);
  const hidden = () => [...document.querySelectorAll("[data-testid=stSidebarNavLink]")];
  const copy = (link, place) => {
    const own = link.cloneNode(true);
    own.removeAttribute("data-testid");
    own.tabIndex = 0;
    own.addEventListener("click", (event) => { event.preventDefault(); hidden()[place].click(); });
    return own;
  };
  let shown = "";
  const repeat = () => {
    const now = hidden().map((link) => link.outerHTML).join();
    if (now === shown) return;
    shown = now;
    const focused = [...bar.children].indexOf(document.activeElement);
    bar.replaceChildren(...hidden().map(copy));
    bar.children[focused]?.focus();
  };
  const tidy = () => { thin(); repeat(); };
  let asked = 0;
  const soon = () => (asked ||= requestAnimationFrame(() => { asked = 0; tidy(); }));
  new MutationObserver(soon).observe(app, { childList: true, subtree: true, attributeFilter: ["aria-current"] });
  document.addEventListener("keydown", (event) => {
    const all = links(), here = all.indexOf(document.activeElement);
    const steps = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: all.length - 1 };
    if (here < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const next = all[(steps[event.key] + all.length) % all.length];
    only(next);
    next.focus();
  });
  tidy();
})();
"""
FEATURE_CLICKED = "feature_clicked"
"""Key of the field that a click on a row of a leaderboard fills in."""
_LEADERBOARD = """
(() => {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app.dataset.sortsTables) return;
  app.dataset.sortsTables = "yes";
  const compare = (one, other) => {
    const areNumbers = [one, other].every((text) => text !== "" && !isNaN(text));
    return areNumbers ? one - other : one.localeCompare(other);
  };
  const sort = (title) => {
    const place = [...title.parentElement.children].indexOf(title);
    const isNumber = title.classList.contains("number") && !title.classList.contains("place");
    const before = title.getAttribute("aria-sort");
    const falls = before ? before === "ascending" : isNumber;
    const order = falls ? "descending" : "ascending";
    for (const other of title.parentElement.children) other.removeAttribute("aria-sort");
    title.setAttribute("aria-sort", order);
    const body = title.closest("table").tBodies[0];
    const key = (row) => row.children[place].dataset.key ?? "";
    const sign = order === "ascending" ? 1 : -1;
    body.append(...[...body.rows].sort((one, other) => sign * compare(key(one), key(other))));
    const both = title.closest(".side-by-side"), courses = both?.querySelectorAll(".courses span[data-feature]") ?? [];
    const isElsewhere = (course, row) => course.dataset.feature !== body.rows[row].dataset.feature;
    both?.classList.toggle("sorted", [...courses].some(isElsewhere));
  };
  const tell = (feature) => {
    const input = document.querySelector(".st-key-feature_clicked input");
    if (!input) return;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, feature);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  };
  document.addEventListener("click", (event) => {
    const title = event.target.closest(".leaderboard thead th");
    if (title) return sort(title);
    const row = event.target.closest(".leaderboard tbody tr, .courses [data-feature]");
    if (row && !String(getSelection())) return tell(row.dataset.feature);
    const copy = event.target.closest(".strip button");
    if (!copy) return;
    navigator.clipboard?.writeText(location.href).then(() => {
      copy.textContent = "Link copied";
      setTimeout(() => (copy.textContent = "Copy link"), 2000);
    });
  });
})();
"""


def dress(on_feature: Callable[[str], None]) -> None:
    """Put the rules into the page, and let charts follow the theme; at the end of the sidebar, out of sight.

    ``on_feature``: called with the name of a feature whose row in a leaderboard was clicked on.
    """

    def pass_on() -> None:
        name, st.session_state[FEATURE_CLICKED] = st.session_state[FEATURE_CLICKED], ""
        if name:
            on_feature(name)

    with st.sidebar.container(key="behind_the_scenes"):
        st.html(
            f"<style>{_CSS}</style><script>{_THEME}{_LINKS}{_LEADERBOARD}</script>",
            unsafe_allow_javascript=True,
        )
        # a label that cannot be seen: the rule that hides the button comes a moment after it
        st.button("\u200b", key="theme_changed", type="tertiary")
        st.text_input("\u200b", key=FEATURE_CLICKED, on_change=pass_on)
