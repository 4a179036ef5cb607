// Draws the table that Python made, sorts its rows at once, and tells which title, feature or pair was clicked on.
const arrange = ([table, ...others], order) => {
  const falls = order.startsWith("-"), title = order.replace(/^-/, "");
  const heads = [...table.tHead.rows[0].cells], column = heads.findIndex((head) => head.dataset.column === title);
  const key = (row) => table.own[row].cells[column]?.dataset.key ?? "";
  const compare = (one, other) => // what is not known stands last
    key(one) === "" || key(other) === "" ? (key(one) === "") - (key(other) === "")
      : falls ? key(other) - key(one) : key(one) - key(other);
  const sorted = [...table.own.keys()].sort(compare);
  for (const one of [table, ...others]) {
    const rows = sorted.map((row) => one.own[row]);
    if (rows.some((row, at) => row !== one.tBodies[0].rows[at])) one.tBodies[0].append(...rows); // else focus would go
    // rules part groups only in the order of the board
    one.classList.toggle("sorted", sorted.some((row, at) => row !== at));
    for (const head of one.tHead.rows[0].cells) {
      head.removeAttribute("aria-sort");
      if (head.dataset.column === title) head.setAttribute("aria-sort", falls ? "descending" : "ascending");
    }
  }
};

export default function ({ parentElement, data, setTriggerValue }) {
  const root = parentElement.querySelector(".board-root"), tables = () => [...root.querySelectorAll("table")];
  if (root.dataset.shown !== data.html) {
    const before = root.querySelector("tbody th :focus")?.title;
    root.dataset.shown = data.html;
    root.innerHTML = data.html;
    root.querySelectorAll("tbody th span").forEach((name) => { // what a click on the row does, for the keyboard
      Object.assign(name, { tabIndex: 0, role: "button", ariaPressed: name.closest("tr").classList.contains("marked") });
      if (name.title === before) name.focus({ preventScroll: true });
    });
    tables().forEach((table) => (table.own = [...table.tBodies[0].rows]));
    const frame = root.querySelector(".leaderboard");
    new ResizeObserver(() => {
      const room = frame.clientWidth + 1;
      frame.classList.toggle("moves", frame.scrollWidth > room);
      tables().forEach((table) => table.classList.toggle("wide", table.offsetWidth > room)); // the others stay as they are
    }).observe(frame);
  }
  root.dataset.order ??= data.order; // later ones are answers to the clicks
  arrange(tables(), root.dataset.order);
  root.onkeydown = (event) => {
    if (!["Enter", " "].includes(event.key) || !event.target.closest("tbody th")) return;
    event.preventDefault(); // a space would move the page
    root.onclick(event);
  };
  root.onclick = (event) => {
    const head = event.target.closest("thead th");
    if (head) {
      const title = head.dataset.column, before = root.dataset.order;
      const falls = [title, `-${title}`].includes(before) ? before === title : head.dataset.falls === "1";
      root.dataset.order = `${falls ? "-" : ""}${title}`;
      arrange(tables(), root.dataset.order);
      return setTriggerValue("order", root.dataset.order);
    }
    const pair = event.target.closest("[data-pair]");
    if (pair) {
      sessionStorage.setItem("tiecore_pair", Date.now()); // fresh.js brings it into view
      return setTriggerValue("pair", pair.dataset.pair);
    }
    const row = event.target.closest("tbody tr");
    if (row && !String(getSelection())) setTriggerValue("feature", row.dataset.feature);
  };
}
