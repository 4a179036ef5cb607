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
  });
})();
