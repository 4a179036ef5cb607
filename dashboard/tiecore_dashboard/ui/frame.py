"""What Streamlit's theme cannot express: a few rules of style, and charts that follow a change of theme."""

from __future__ import annotations

import streamlit as st

__all__ = ["PICTURE_OF", "dress"]

_CSS = """
.answer p { font-size: 1.2rem; line-height: 1.45; margin: 0 0 .35rem 0; text-wrap: pretty; }
.answer em { font-style: normal; font-weight: 650; border-bottom: 2px solid currentColor; }
.answer ul { margin: 0; padding-left: 1.1rem; line-height: 1.5; }
.answer li { margin: 0; }
.answer abbr { text-decoration: underline dotted; cursor: help; white-space: nowrap; }
.answer { overflow-wrap: anywhere; max-width: 62rem; }
.st-key-head p { margin-bottom: 0; }
.st-key-head { margin-bottom: .4rem; }
[data-testid="stMainBlockContainer"] {
  padding-left: clamp(1rem, 2.5vw, 2.5rem); padding-right: clamp(1rem, 2.5vw, 2.5rem);
}
/* what stands side by side needs room: on a narrow screen, or under a large zoom, it stands below each other */
@media (max-width: 1000px) {
  [data-testid="stMain"] [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  [data-testid="stMain"] [data-testid="stColumn"] { min-width: calc(100% - 1.5rem); }
}
[data-testid="stFileUploaderDropzoneInstructions"] > * { display: none; }
[data-testid="stFileUploaderDropzoneInstructions"]::after {
  content: "or drop them here, up to 200 MB each"; opacity: .7;
}
[class*="st-key-progress"] { position: sticky; top: 4rem; z-index: 5; }
.st-key-behind_the_scenes, :has(> .st-key-behind_the_scenes) { display: none !important; }
"""
# A change of theme repaints everything but the charts, which are drawn in its colours by Python: so it asks for a run.
_JAVASCRIPT = """
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
PICTURE_OF = "picture_of_"
"""Begins the key of a button that saves a chart as a picture; the key of the chart follows."""
_PICTURES = """
(() => {
  const app = document.querySelector("[data-testid=stApp]");
  if (!app || app.dataset.savesPictures) return;
  app.dataset.savesPictures = "yes";
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("button")?.closest("[class*='st-key-PREFIX']");
    const name = [...(pressed?.classList ?? [])].find((one) => one.startsWith("st-key-PREFIX"));
    if (name) document.querySelector(`.st-key-${name.slice("st-key-PREFIX".length)} .modebar-btn`)?.click();
  });
})();
""".replace("PREFIX", PICTURE_OF)


def dress() -> None:
    """Put the rules into the page, and let charts follow the theme; at the end of the sidebar, where nobody sees it."""
    with st.sidebar.container(key="behind_the_scenes"):
        st.html(f"<style>{_CSS}</style><script>{_JAVASCRIPT}{_PICTURES}</script>", unsafe_allow_javascript=True)
        # a label that cannot be seen: the rule that hides the button comes a moment after it
        st.button("\u200b", key="theme_changed", type="tertiary")
