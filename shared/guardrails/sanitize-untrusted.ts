import { foldLookalikes } from "./lookalikes.ts";

/**
 * Matches characters that are invisible to people but not to models: zero-width and bidirectional controls, soft
 * hyphens, Unicode tags and variation selectors. The joiners U+200C and U+200D are not among them, because Persian,
 * Hindi and emoji need them.
 */
const invisible =
  /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}|[\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/gu;

/** Matches joiners between Latin letters, digits or spaces, where they have no visible effect. */
const needlessJoiner = /(?<=[\p{Script=Latin}\d\s])(?:\u200c|\u200d)+(?=[\p{Script=Latin}\d\s])/gu;

/** Matches comments of HTML and Markdown. An unfinished comment extends to the end of the text. */
const comment = /<!--(?:[\s\S]*?-->|[\s\S]*$)|^\[(?:\/\/|comment|_)\]: ?(?:#|<>) ?[^\n]*$/gim;

const hiddenStyle =
  "display\\s*:\\s*none|visibility\\s*:\\s*hidden|opacity\\s*:\\s*0(?![.\\d]*[1-9])|font-size\\s*:\\s*0|color\\s*:\\s*(?:transparent|white\\b|#fff(?:fff)?\\b)";

/** Matches HTML elements that a browser does not show because of their style, an attribute, or their type. */
const hiddenElement = new RegExp(
  `<(script|style|template|noscript)\\b[^>]{0,1000}>[\\s\\S]{0,4000}?</\\1\\s*>|<(\\w{1,20})\\b[^>]{0,1000}?(?:style\\s*=\\s*["'][^"'>]{0,500}?(?:${hiddenStyle})[^>]{0,500}|\\s(?:hidden|aria-hidden\\s*=\\s*["']?true["']?)(?=[\\s/>])[^>]{0,500})>[\\s\\S]{0,4000}?</\\2\\s*>`,
  "gi",
);

const mayHideText = /[^\t\n\r -~]|<|^\[/m;

/** Removes invisible characters. */
export const removeInvisible = (text: string) => text.replace(invisible, "").replace(needlessJoiner, "");

/**
 * Removes the parts of a text that are invisible to its readers, so that the model reads the same text as people:
 * invisible and bidirectional characters, comments and hidden elements. Lookalikes of other scripts within Latin words
 * become Latin letters.
 */
export function sanitizeUntrusted(text: string): string {
  if (!mayHideText.test(text)) return text;
  return foldLookalikes(removeInvisible(text).replace(comment, "").replace(hiddenElement, ""));
}
