// Draws the table that Python made, sorts its rows, and tells which feature or pair was clicked on.
const orders = new Map(); // of each leaderboard: which column it is sorted by, which way

const compare = (one, other) =>
  one === "" || other === "" ? (one === "") - (other === "") // what is not known stands last
    : isNaN(one) || isNaN(other) ? one.localeCompare(other) : one - other;

const arrange = (table, order) => {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head) => head.removeAttribute("aria-sort"));
  const column = order ? heads.findIndex((head) => head.innerText.trim() === order.title) : -1;
  const isOfBoard = column < 0 || (heads[column].classList.contains("place") && !order.falls);
  table.classList.toggle("sorted", !isOfBoard); // rules part groups only in the order of the board
  if (column < 0) return;
  heads[column].setAttribute("aria-sort", order.falls ? "descending" : "ascending");
  const key = (row) => row.cells[column].dataset.key;
  const sign = order.falls ? -1 : 1;
  const sorted = [...table.tBodies[0].rows].sort((one, other) =>
    key(one) === "" || key(other) === "" ? compare(key(one), key(other)) : sign * compare(key(one), key(other)));
  table.tBodies[0].append(...sorted);
};

export default function ({ parentElement, data, key, setTriggerValue }) {
  const root = parentElement.querySelector(".board-root");
  if (root.dataset.shown !== data.html) {
    root.dataset.shown = data.html;
    root.innerHTML = data.html;
  }
  const tables = () => [...root.querySelectorAll("table")];
  tables().forEach((table) => arrange(table, orders.get(key)));
  const frame = root.querySelector(".leaderboard");
  new ResizeObserver(() => frame.classList.toggle("moves", frame.scrollWidth > frame.clientWidth + 1)).observe(frame);
  root.onclick = (event) => {
    const head = event.target.closest("thead th");
    if (head) {
      const before = orders.get(key), title = head.innerText.trim();
      const falls = before?.title === title ? !before.falls : head.classList.contains("value");
      orders.set(key, { title, falls });
      tables().forEach((table) => arrange(table, orders.get(key)));
      return;
    }
    const pair = event.target.closest("[data-pair]");
    if (pair) return setTriggerValue("pair", pair.dataset.pair);
    const row = event.target.closest("tbody tr");
    if (row && !String(getSelection())) setTriggerValue("feature", row.dataset.feature);
  };
}
