/**
 * Gives the console the height of the part of the window above the keyboard of a phone. Safari lays the keyboard over the
 * window, also with `interactive-widget`.
 */
export function fitAboveKeyboard(): void {
  const view = visualViewport;
  view?.addEventListener("resize", () => {
    // A reader who has zoomed in sees a smaller part for another reason.
    const isCovered = view.scale === 1 && view.height < innerHeight;
    document.documentElement.style.setProperty("--window-height", isCovered ? `${view.height}px` : null);
    // Safari has scrolled to the field, which is visible now.
    if (isCovered) scrollTo(0, 0);
  });
}
