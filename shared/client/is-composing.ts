/**
 * Returns true for a key that an input method handles, such as Enter that confirms a Japanese word. Safari sends this key after
 * the composition has ended: `isComposing` is false then, and only its key code tells (229).
 * @see https://bugs.webkit.org/show_bug.cgi?id=165004
 */
export const isComposing = (event: { readonly isComposing: boolean; readonly keyCode: number }): boolean =>
  event.isComposing || event.keyCode === 229;
