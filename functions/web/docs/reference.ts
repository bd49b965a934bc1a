/** Program of the API reference: filters the list of operations while the reader types. */
const search = document.querySelector<HTMLInputElement>("#search");
const groups = [...document.querySelectorAll<HTMLElement>(".operations > section")];
const count = document.querySelector("#count");

function filter(): void {
  const words = (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const group of groups) {
    const name = group.querySelector("h2")?.textContent ?? "";
    const operations = [...group.querySelectorAll("li")];
    for (const operation of operations) {
      const text = `${name} ${operation.dataset.id} ${operation.textContent}`.toLowerCase();
      operation.hidden = !words.every((word) => text.includes(word));
    }
    const found = operations.filter(({ hidden }) => !hidden).length;
    group.hidden = found === 0;
    shown += found;
  }
  if (count) count.textContent = words.length === 0 ? "" : `${shown} operations`;
}

search?.addEventListener("input", filter);
// A browser restores the text of the field when the reader comes back.
filter();
