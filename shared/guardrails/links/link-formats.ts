import type { SensitiveFormat } from "../sensitive-pattern.ts";
import type { Cut } from "../spans.ts";
import { type KnownLinks, LinkJudge, type LinkUse } from "./link-judge.ts";

/** Kinds of removed links and images, as they appear in the text and in `disabled_rules`. */
export const linkKinds = ["image removed", "link removed"] as const;

/** Destination that replaces an unsafe one if the link as a whole cannot be removed. */
const NO_DESTINATION = "#";

/** Host with which a path without a host is judged. */
const UNKNOWN_HOST = "host.invalid";

/** Text of a Markdown link, with at most one level of nested brackets. */
const linkText = String.raw`(?:\\[^\n]|[^\\[\]\n]|\n(?!\n)|\[(?:\\[^\n]|[^\\[\]\n]){0,200}\]){0,300}`;

/** Characters between the text and the destination of a Markdown link. Some clients accept spaces there. */
const destinationStart = String.raw`\][ \t]{0,4}\(\s{0,20}`;

/**
 * Destination of a Markdown link: in angle brackets, or without spaces and with at most one level of nested
 * parentheses.
 */
const destination = String.raw`(?:<[^<>\n]{0,4000}>|(?:\\[^\s]|[^\s<>()\\]|\((?:\\[^\s]|[^\s<>()\\]){0,1000}\)){0,4000})`;

const title = String.raw`(?:\s{1,20}(?:"(?:\\[^\n]|[^"\\]){0,500}"|'(?:\\[^\n]|[^'\\]){0,500}'|\((?:\\[^\n]|[^()\\]){0,500}\)))?`;

const inlineLink = String.raw`\[${linkText}${destinationStart}${destination}${title}\s{0,20}\)`;

const linkParts = new RegExp(String.raw`^(!?\[)(${linkText})${destinationStart}(${destination})`, "i");

/**
 * Returns the source of an expression for a destination that follows `announced`. A match ends before the next link, so
 * that a text that contains only beginnings of links takes linear time.
 * @param except expression that must not match before the destination
 */
const destinationAfter = (announced: string, except = "(?!)") =>
  String.raw`(?<=${announced}<)(?<!${except})[^<>\n](?:(?!\]\()[^<>\n]){0,3999}|(?<=${announced})(?<!${except})[^\s<>](?:(?!\]\()[^\s<>]){0,3999}`;

/** Returns a destination up to its unbalanced closing parenthesis or one of the characters in `ends`. */
function cutAtEnd(match: string, ends = ""): string {
  let depth = 0;
  for (let at = 0; at < match.length; at++) {
    const char = match.charAt(at);
    if (char === "(") depth++;
    if ((char === ")" && depth-- === 0) || ends.includes(char)) return match.slice(0, at);
  }
  return match;
}

/** Start of a URL in running text. */
const addressStart = String.raw`(?<![\w/:.@\\-])(?:(?:https?|ftp|wss?|file|smb|vscode):[\\/]{1,9}|mailto:|xmpp:|www\.|\/\/|\\\\)`;

/**
 * Returns the URLs that an HTML attribute may contain: its whole value, and those in lists, styles and refresh
 * instructions.
 */
function addressesIn(value: string): string[] {
  const text = value.replace(/^["']|["']$/g, "");
  return [text, ...text.split(/[\s,]+/), ...text.split(/url\s*[(=]\s*["']?/i).slice(1)];
}

/**
 * Returns the formats of links and images that could send data of the conversation to an unknown host.
 * @param disabledRules kinds of links that the policy does not remove
 */
export function linkFormats(known: KnownLinks, disabledRules: readonly string[] = []): SensitiveFormat[] {
  const judge = new LinkJudge(known);
  const isLoadUnsafe = (value: string) => addressesIn(value).some((address) => judge.isUnsafe(address, "load"));

  /** Reduces an unsafe link or image to its text and a mark, so that the reader knows that something is missing. */
  function cutInlineLink(match: string): Cut[] {
    const [, open = "", text = "", target = ""] = linkParts.exec(match) ?? [];
    const use: LinkUse = open === "[" ? "click" : "load";
    if (!judge.isUnsafe(target.replace(/^<|>$/g, ""), use)) return [];
    const mark = use === "load" ? "[image removed]" : "[link removed]";
    if (text.trim() === "") return [{ from: 0, to: match.length, replacement: mark }];
    return [
      { from: 0, to: open.length, replacement: "" },
      { from: open.length + text.length, to: match.length, replacement: ` ${mark}` },
    ];
  }

  const cutWhole = (replacement: string, isUnsafe: (match: string) => boolean) => (match: string) =>
    isUnsafe(match) ? [{ from: 0, to: match.length, replacement }] : [];

  const cutDestination =
    (use: LinkUse) =>
    (match: string): Cut[] => {
      const target = cutAtEnd(match);
      return judge.isUnsafe(target, use) ? [{ from: 0, to: target.length, replacement: NO_DESTINATION }] : [];
    };

  /**
   * Removes an unsafe URL from running text. Some clients end a URL only at the next space, so the longer form is
   * judged, too.
   */
  function cutText(match: string): Cut[] {
    const address = cutAtEnd(match, '"`]').replace(/(?<![.,;:!?*_~'])[.,;:!?*_~']+$/, "");
    const hasMore = /[?#@]\w/.test(match.slice(address.length));
    const unsafe = [address, ...(hasMore ? [match] : [])].find((text) => judge.isUnsafe(text, "text"));
    return unsafe ? [{ from: 0, to: unsafe.length, replacement: "[link removed]" }] : [];
  }

  const image = { kind: "image removed", category: "injection", score: 0.9 } as const;
  const link = { ...image, kind: "link removed" } as const;
  // A text that contains more brackets or is longer can belong to an image whose start is too far away.
  const plainLink = String.raw`(?<!!)\[(?:[^[\]\n]|\[[^[\]\n]{0,200}\]){0,300}${destinationStart}<?`;
  // All patterns ignore case, because patterns with the same flags are searched at once.
  const formats: SensitiveFormat[] = [
    { ...image, pattern: new RegExp(`!${inlineLink}`, "i"), cut: cutInlineLink },
    { ...link, pattern: new RegExp(`(?<!!)${inlineLink}`, "i"), cut: cutInlineLink },
    {
      ...image,
      pattern: new RegExp(destinationAfter(destinationStart, plainLink), "i"),
      cut: cutDestination("load"),
    },
    { ...link, pattern: new RegExp(destinationAfter(destinationStart), "i"), cut: cutDestination("click") },
    {
      ...image,
      pattern:
        /<(?:img|image|video|audio|source|track|i?frame|embed|object|input|link|use|feimage|base|meta|portal|bgsound)\b(?:[^<>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?/i,
      cut: cutWhole("[image removed]", (element) =>
        Array.from(element.matchAll(/=\s*("[^"]*"?|'[^']*'?|[^\s"'>]+)/g), ([, value = ""]) => value).some(
          isLoadUnsafe,
        ),
      ),
    },
    {
      ...image,
      pattern:
        /(?<=[\s"'/](?:style|background|poster|(?:image)?srcset|ping|(?:form)?action|manifest|xlink:href|dynsrc|lowsrc)\s{0,9}=\s{0,9})(?:"[^"<>]{1,4000}|'[^'<>]{1,4000}|[^\s"'<>]{1,4000})/i,
      cut: cutWhole('"', isLoadUnsafe),
    },
    {
      ...image,
      pattern: /<style\b[^<>]{0,500}>[^<]{0,20000}/i,
      cut: cutWhole("[image removed]", (style) =>
        Array.from(style.matchAll(/(?:url\(\s*["']?|@import\s*["'])([^\s"');]+)/gi), ([, value = ""]) => value).some(
          (value) => judge.isUnsafe(value, "load"),
        ),
      ),
    },
    {
      ...link,
      // A definition can belong to an image, unless it is a footnote.
      pattern: new RegExp(destinationAfter(String.raw`\]:\s{0,20}`, String.raw`\[\^[^\]\n]{0,150}\]:\s{0,20}<?`), "i"),
      cut: cutWhole(NO_DESTINATION, (target) => judge.isUnsafe(target, "load")),
    },
    {
      ...link,
      pattern: /(?<=[\s/"']href\s{0,9}=\s{0,9}["']?)[^\s"'<>][^\s"'<>]{0,3999}/i,
      cut: cutWhole(NO_DESTINATION, (target) => judge.isUnsafe(target, "click")),
    },
    {
      ...link,
      pattern: /<[a-z][a-z\d+.-]{1,31}:[^\s<>]{0,4000}>/i,
      cut: cutWhole("[link removed]", (target) => judge.isUnsafe(target.slice(1, -1), "click")),
    },
    {
      ...link,
      // It ends before the next address, so that a text of nothing but addresses costs linear time.
      pattern: new RegExp(String.raw`${addressStart}(?:(?!${addressStart})[^\s<>]){1,4000}`, "i"),
      cut: cutText,
    },
    {
      ...link,
      // Some clients turn a host without a scheme into a link if a path follows.
      pattern:
        /(?<=[a-z\d]\.[a-z]{2,24})(?<!(?:[/\\@]|www\.)[^\s<>"'()[\]]{0,253})[/?#](?:[^\s<>()]|\([^\s<>()]{0,200}\)){1,500}/i,
      cut: (match) =>
        cutText(`//${UNKNOWN_HOST}${match}`).map((cut) => ({ ...cut, to: cut.to - UNKNOWN_HOST.length - 2 })),
    },
  ];
  return formats.filter(({ kind }) => !disabledRules.includes(kind));
}
