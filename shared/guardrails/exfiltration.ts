import type { SensitiveFormat } from "./sensitive-pattern.ts";

/** Links that an answer may contain without further checks. */
export interface KnownLinks {
  /** Host names that the participants of the conversation or the instructions mention. */
  readonly hosts: ReadonlySet<string>;
  /** Host names that the tenant's policy allows with their subdomains. */
  readonly allowedHosts: readonly string[];
  /** Kinds of links that the tenant's policy does not remove. */
  readonly disabledRules?: readonly string[];
  /** Returns true if the prompt contains the URL literally, so that the model cannot have added data to it. */
  readonly isInPrompt: (url: string) => boolean;
}

/** Length from which on a segment of a path or a label of a host may carry data, such as a key or an encoded sentence. */
const MIN_DATA_CHARACTERS = 40;

/** Total length of parts that look encoded, and of all segments and labels, from which on they may carry data. */
const MIN_ENCODED_CHARACTERS = 16;
const MIN_TOTAL_CHARACTERS = 120;

/** Average length of runs of one kind of characters below which a text looks encoded; it is 1.3 to 2.2 for base64. */
const MAX_ENCODED_RUN_CHARACTERS = 2.7;

/** Number of segments and labels from which on they may carry data in small pieces. */
const MIN_DATA_PARTS = 13;

const hostPattern = /(?:https?:\/\/|\bwww\.)?((?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,24})\b/giu;

/** Returns the host names in a text. */
export function findHosts(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(hostPattern), ([, host = ""]) => host.toLowerCase()));
}

function isKnownHost(host: string, { hosts, allowedHosts }: KnownLinks): boolean {
  if (hosts.has(host) || hosts.has(host.replace(/^www\./, ""))) return true;
  return allowedHosts.some((allowed) => host === allowed || host.endsWith(`.${allowed}`));
}

/** Base of relative URLs, which stay on the client's own host. */
const RELATIVE_BASE = "https://relative.invalid/";

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  colon: ":",
  sol: "/",
  bsol: "\\",
  period: ".",
  commat: "@",
  quest: "?",
  num: "#",
  equals: "=",
  Tab: "\t",
  NewLine: "\n",
};

/** Decodes the character references and backslash escapes that Markdown and HTML allow in a URL. */
function unescapeUrl(url: string): string {
  const toCharacter = (code: number) => (code <= 0x10ffff ? String.fromCodePoint(code) : "");
  return url
    .replace(/&#x([\da-f]{1,6});/gi, (_, code: string) => toCharacter(Number.parseInt(code, 16)))
    .replace(/&#(\d{1,7});/g, (_, code: string) => toCharacter(Number(code)))
    .replace(/&([A-Za-z]{2,8});/g, (reference, name: string) => entities[name] ?? reference)
    .replace(/\\([!-/:-@[-`{-~])/g, "$1");
}

/** Returns the length of the parts of a text that look encoded: letters of both cases and digits alternate quickly. */
function countEncoded(text: string): number {
  const isEncoded = (part: string) => {
    // A capital letter before small letters is the start of a word.
    const runs = part.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
    const digits = part.match(/\d/g)?.length ?? 0;
    const isHexadecimal = digits < part.length && digits * 2 >= part.length;
    return part.length >= 6 && runs >= 3 && (isHexadecimal || part.length / runs < MAX_ENCODED_RUN_CHARACTERS);
  };
  return text
    .split(/[^A-Za-z\d]+/)
    .filter(isEncoded)
    .join("").length;
}

/**
 * Returns true if a URL can carry data to its host: in the query, the fragment, the user name, or in segments of the path
 * and labels of the host that are long, look encoded, or are many.
 */
function carriesData({ search, hash, username, pathname, hostname }: URL): boolean {
  const parts = [...pathname.split("/"), ...hostname.split(".")].filter(Boolean);
  return (
    search !== "" ||
    hash !== "" ||
    username !== "" ||
    parts.length >= MIN_DATA_PARTS ||
    parts.some(({ length }) => length >= MIN_DATA_CHARACTERS) ||
    parts.join("").length >= MIN_TOTAL_CHARACTERS ||
    // Hosts have no capital letters, so an encoding is less visible in them.
    countEncoded(pathname) + 2 * countEncoded(hostname) >= MIN_ENCODED_CHARACTERS
  );
}

/** Schemes whose URLs name the host that receives a request. */
const hostSchemes: ReadonlySet<string> = new Set(["http:", "https:", "ftp:", "ws:", "wss:"]);

/**
 * Returns true if a URL leads to an unknown host and carries data.
 * @param loads true if clients load the URL without a click. An attacker could list several such URLs, and the choice of
 *   one of them would already leak data.
 */
function isUnsafe(url: string, known: KnownLinks, loads: boolean): boolean {
  const address = unescapeUrl(/^www\./i.test(url) ? `https://${url}` : url);
  if (!URL.canParse(address, RELATIVE_BASE)) return false;
  const parsed = new URL(address, RELATIVE_BASE);
  if (hostSchemes.has(parsed.protocol)) {
    if (parsed.origin === new URL(RELATIVE_BASE).origin || isKnownHost(parsed.hostname, known)) return false;
    return loads || (carriesData(parsed) && !known.isInPrompt(url));
  }
  // A message carries its text in the query, and may have further recipients there.
  const recipients = findHosts(address.replace(/%40/g, "@"));
  const isKnown = recipients.size > 0 && [...recipients].every((host) => isKnownHost(host, known));
  return !loads && !isKnown && parsed.search + parsed.hash !== "" && !known.isInPrompt(url);
}

/** Returns a URL in running text without the closing punctuation of the sentence, quotation or bracket around it. */
function cutUrl(match: string): string {
  let depth = 0;
  const closing = [...match].findIndex((char) => {
    if (char === "(") depth++;
    return char === '"' || char === "`" || char === "]" || (char === ")" && depth-- === 0);
  });
  const url = closing < 0 ? match : [...match].slice(0, closing).join("");
  return url.replace(/[.,;:!?*_~']+$/, "");
}

/** Measures a URL in running text. Some clients end it only at the next space. */
function measureText(match: string, known: KnownLinks): number {
  const url = cutUrl(match);
  if (isUnsafe(url, known, false)) return url.length;
  return /[?#@]\w/.test(match.slice(url.length)) && isUnsafe(match, known, false) ? match.length : 0;
}

/** Measures the destination of a Markdown link, which ends at an unbalanced parenthesis. */
function measureDestination(match: string, known: KnownLinks, loads: boolean): number {
  let depth = 0;
  const end = [...match].findIndex((char) => {
    if (char === "(") depth++;
    return char === ")" && depth-- === 0;
  });
  const url = end < 0 ? match : [...match].slice(0, end).join("");
  return isUnsafe(url, known, loads) ? url.length : 0;
}

/** Measures an HTML element: the whole element is removed if one of its attributes names an unknown host. */
function measureElement(element: string, known: KnownLinks): number {
  const values = Array.from(element.matchAll(/=\s*("[^"]*"?|'[^']*'?|[^\s"'>]+)/g), ([, value = ""]) => value);
  // `srcset` and `style` contain several URLs.
  const urls = values.flatMap((value) => value.replace(/^["']|["']$/g, "").split(/[\s,]+|url\(["']?/));
  return urls.some((url) => isUnsafe(url, known, true)) ? element.length : 0;
}

/** Kinds of links and images that are removed. */
export const exfiltrationKinds = ["image removed", "link removed"] as const;

/**
 * Source of an expression for the destination of a Markdown link, after the characters that announce it. It ends before
 * the next link, so that a text of nothing but beginnings of links costs linear time.
 */
const destinationAfter = (announced: string) =>
  String.raw`(?<=${announced}\s{0,20}<)[^<>\n](?:(?!\]\()[^<>\n]){0,3999}|(?<=${announced}\s{0,20})[^\s<>](?:(?!\]\()[^\s<>]){0,3999}`;

/** Returns the formats of links and images that may carry data of the conversation to an unknown host. */
export function exfiltrationFormats(known: KnownLinks): SensitiveFormat[] {
  const shared = { category: "injection", score: 0.9 } as const;
  // A text that contains brackets or is long can belong to an image whose start is too far away.
  const plainLink = String.raw`(?<!!)\[[^[\]\n]{0,150}\]\(\s{0,20}<?`;
  // All patterns ignore case, because patterns with the same flags are searched at once.
  const formats: SensitiveFormat[] = [
    {
      ...shared,
      kind: "image removed",
      pattern: new RegExp(`(?<!${plainLink})(?:${destinationAfter(String.raw`\]\(`)})`, "i"),
      measure: (match) => measureDestination(match, known, true),
    },
    {
      ...shared,
      kind: "image removed",
      pattern:
        /<(?:img|image|video|audio|source|track|iframe|embed|object|input|link)\b(?:[^<>"']|"[^"]{0,4000}"|'[^']{0,4000}')*>?/i,
      measure: (match) => measureElement(match, known),
    },
    {
      ...shared,
      kind: "link removed",
      pattern: new RegExp(destinationAfter(String.raw`\]\(`), "i"),
      measure: (match) => measureDestination(match, known, false),
    },
    {
      ...shared,
      // A definition can belong to an image, unless it is a footnote.
      kind: "link removed",
      pattern: new RegExp(
        String.raw`(?<!\[\^[^\]\n]{0,150}\]:\s{0,20}<?)(?:${destinationAfter(String.raw`\]:`)})`,
        "i",
      ),
      measure: (match) => (isUnsafe(match, known, true) ? match.length : 0),
    },
    {
      ...shared,
      kind: "link removed",
      pattern: /(?<=[\s/"']href\s{0,9}=\s{0,9}["']?)[^\s"'<>][^\s"'<>]{0,3999}/i,
      measure: (match) => (isUnsafe(match, known, false) ? match.length : 0),
    },
    {
      ...shared,
      kind: "link removed",
      pattern: /(?<![\w/])(?<!\]\(\s{0,20}<?)(?:(?:https?|ftp):[\\/]{1,9}|mailto:|www\.)[^\s<>]{1,4000}/i,
      measure: (match) => measureText(match, known),
    },
  ];
  return formats.filter(({ kind }) => !known.disabledRules?.includes(kind));
}
