import type { Page } from "playwright-core";

/**
 * Composes a word with an input method and ends it with a key, as Safari does: the `keydown` follows `compositionend`, with the
 * key code 229.
 */
export async function composeWord(page: Page, word: string, key: "Enter" | "Escape"): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Input.imeSetComposition", { text: word, selectionStart: word.length, selectionEnd: word.length });
  await session.send("Input.insertText", { text: word });
  await session.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key, code: key, windowsVirtualKeyCode: 229 });
  await session.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: 229 });
  await session.detach();
}

/** Clipboard contents that tests paste. */
export interface Pasted {
  readonly data?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

/** Contents of the clipboard by program, and the number of files that a paste of it attaches. */
export const pastes: readonly (readonly [program: string, pasted: Pasted, attached: number])[] = [
  [
    "cells of Excel",
    { data: { "text/plain": "Region\tUmsatz\r\nNord\t12", "text/html": "<table>" }, files: ["image.png"] },
    0,
  ],
  [
    "a paragraph of Word",
    { data: { "text/plain": "Sehr geehrte Frau Öz", "text/rtf": "{}" }, files: ["image.png"] },
    0,
  ],
  ["cells of Numbers", { data: { "text/plain": "価格\t10" }, files: ["image.png", "cells.pdf"] }, 0],
  ["a slide's text of PowerPoint", { data: { "text/plain": "مرحبا" }, files: ["image.png"] }, 0],
  ["cells of LibreOffice", { data: { "text/plain": "цена\t10\n", "text/html": "<table>" }, files: ["image.png"] }, 0],
  ["a screenshot", { files: ["image.png"] }, 1],
  ["a picture of a web page", { data: { "text/html": "<img src=a.png>" }, files: ["image.png"] }, 1],
  ["a file of Finder", { data: { "text/plain": "报告 1.pdf" }, files: ["报告 1.pdf"] }, 1],
  ["two files of Finder", { data: { "text/plain": "a.pdf\rb.pdf" }, files: ["a.pdf", "b.pdf"] }, 2],
  ["a file of Nautilus", { data: { "text/plain": "/home/ada/a.pdf" }, files: ["a.pdf"] }, 1],
  ["plain text", { data: { "text/plain": "short" } }, 0],
];

/** Pastes into the focused field. Returns true if the browser would insert the text. */
export const paste = (page: Page, pasted: Pasted): Promise<boolean> =>
  page.evaluate(({ data = {}, files = [] }) => {
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(data)) clipboardData.setData(type, text);
    for (const name of files) clipboardData.items.add(new File(["x"], name, { type: "image/png" }));
    const host = document.activeElement;
    const field = host?.shadowRoot?.activeElement ?? host;
    const options = { clipboardData, bubbles: true, cancelable: true, composed: true };
    return field?.dispatchEvent(new ClipboardEvent("paste", options)) ?? false;
  }, pasted);
