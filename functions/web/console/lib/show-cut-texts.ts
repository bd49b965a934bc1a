/** Shows texts that are cut at the end of their line as tooltips, in all views. */
export function showCutTexts(): void {
  document.addEventListener("pointerover", ({ target }) => {
    const element = target instanceof Element ? target.closest<HTMLElement>(".truncate") : null;
    // The text can have changed since the pointer was there before.
    if (!element || (element.title && element.dataset.cut === undefined)) return;
    element.dataset.cut = "";
    element.title = element.scrollHeight > element.clientHeight ? (element.textContent ?? "") : "";
  });
}
