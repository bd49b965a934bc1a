/** Adds a tooltip with the whole text to elements whose text is cut off, in all views, when the pointer is over them. */
export function showCutTexts(): void {
  document.addEventListener("pointerover", ({ target }) => {
    const element = target instanceof Element ? target.closest<HTMLElement>(".truncate") : null;
    // The text can have changed since the pointer was there before.
    if (!element || (element.title && element.dataset.cut === undefined)) return;
    element.dataset.cut = "";
    element.title = element.scrollHeight > element.clientHeight ? (element.textContent ?? "") : "";
  });
}
