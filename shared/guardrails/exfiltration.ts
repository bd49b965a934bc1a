import type { SensitiveFormat } from "./sensitive-pattern.ts";

/** Links that an answer may contain without further checks. */
export interface KnownLinks {
  /** Host names that the participants of the conversation or the instructions mention. */
  readonly hosts: ReadonlySet<string>;
  /** Host names that the tenant's policy allows with their subdomains. */
  readonly allowedHosts: readonly string[];
  /** Returns true if the prompt contains the URL literally, so that the model cannot have added data to it. */
  readonly isInPrompt: (url: string) => boolean;
}

/** Length from which on a segment of a URL's path may carry data, such as a key or an encoded sentence. */
const MIN_DATA_CHARACTERS = 40;

const hostPattern = /(?:https?:\/\/|\bwww\.)?((?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,24})\b/giu;

/** Returns the host names in a text. */
export function findHosts(text: string): Set<string> {
  return new Set(Array.from(text.matchAll(hostPattern), ([, host = ""]) => host.toLowerCase()));
}

function isKnownHost(host: string, { hosts, allowedHosts }: KnownLinks): boolean {
  if (hosts.has(host) || hosts.has(host.replace(/^www\./, ""))) return true;
  return allowedHosts.some((allowed) => host === allowed || host.endsWith(`.${allowed}`));
}

/**
 * Returns true if a URL can carry data to its host: in the query, the fragment, the user name, or a long segment of the
 * path.
 */
function carriesData({ search, hash, username, pathname, hostname }: URL): boolean {
  const parts = [...pathname.split("/"), ...hostname.split(".")];
  return search !== "" || hash !== "" || username !== "" || parts.some(({ length }) => length >= MIN_DATA_CHARACTERS);
}

function measureLink(match: string, known: KnownLinks, isImage: boolean): number {
  const url = match.replace(/[.,;:!?*_~]+$/, "");
  if (!URL.canParse(url)) return 0;
  const parsed = new URL(url);
  if (isKnownHost(parsed.hostname, known)) return 0;
  // Browsers load images without a click. An attacker could list several image URLs, and the choice of one of them
  // would already leak data.
  if (isImage) return url.length;
  return carriesData(parsed) && !known.isInPrompt(url) ? url.length : 0;
}

/** Returns the formats of links and images that may carry data of the conversation to an unknown host. */
export function exfiltrationFormats(known: KnownLinks): SensitiveFormat[] {
  const shared = { category: "injection", score: 0.9 } as const;
  return [
    {
      ...shared,
      kind: "image removed",
      pattern:
        /(?<=!\[[^\]\n]{0,150}\]\(\s{0,3}<?|<img\b[^>]{0,150}\ssrc\s{0,3}=\s{0,3}["']?)https?:\/\/[^\s"'`<>)\]]{1,4000}/i,
      measure: (match) => measureLink(match, known, true),
    },
    {
      ...shared,
      kind: "link removed",
      pattern: /(?<![\w/])https?:\/\/[^\s"'`<>)\]]{1,4000}/i,
      measure: (match) => measureLink(match, known, false),
    },
  ];
}
