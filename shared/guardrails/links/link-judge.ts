import { PrivatePassages, type PrivateText } from "./private-passages.ts";
import { readAddresses } from "./read-addresses.ts";

/** Data by which links in an answer are judged. */
export interface KnownLinks {
  /** Hosts of the URLs in messages of the participants and in the instructions. */
  readonly hosts: ReadonlySet<string>;
  /** Hosts that the tenant's policy allows, including their subdomains. */
  readonly allowedHosts: readonly string[];
  /** Whole prompt. An answer may repeat its URLs, because the model cannot have added data to them. */
  readonly prompt: string;
  /** Texts of which an URL must not contain passages. */
  readonly privateTexts: readonly PrivateText[];
}

/**
 * Use of a URL by a client: loading it without a click, opening it after a click, or showing text that some clients
 * turn into a link.
 */
export type LinkUse = "load" | "click" | "text";

/**
 * Limits beyond which text in a URL may be encoded data: length of one word, digits of one number, and total length of
 * words that look encoded.
 */
const MAX_WORD_CHARACTERS = 40;
const MAX_DIGITS = 16;
const MIN_ENCODED_CHARACTERS = 16;

/**
 * Maximum average length of runs of the same kind of character in a text that looks encoded; it is 1.3 to 2.2 for
 * base64.
 */
const MAX_ENCODED_RUN_CHARACTERS = 2.7;

/** Number of words of one or two characters from which a URL may spell out a text. */
const MIN_SHORT_WORDS = 10;

/** Maximum length of a URL. A longer one could carry much data in any form. */
const MAX_ADDRESS_CHARACTERS = 500;

/** URL schemes with a host that receives a request. */
const hostSchemes: ReadonlySet<string> = new Set(["http:", "https:", "ftp:", "ws:", "wss:"]);

/** URL schemes with which a message or call reaches a person. The text of the message is in the query. */
const contactSchemes: ReadonlySet<string> = new Set(["mailto:", "tel:", "sms:", "xmpp:"]);

/** URL schemes that contain a program or a page instead of an address. */
const contentSchemes: ReadonlySet<string> = new Set(["javascript:", "vbscript:", "data:", "blob:"]);

/**
 * Returns true if a word looks encoded: letters of both cases and digits alternate quickly, or at least half of it are
 * digits.
 */
function looksEncoded(word: string): boolean {
  // A capital letter before small letters is the start of a word.
  const runs = word.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  const digits = word.match(/\d/g)?.length ?? 0;
  const isHexadecimal = digits < word.length && digits * 2 >= word.length;
  return word.length >= 6 && runs >= 3 && (isHexadecimal || word.length / runs < MAX_ENCODED_RUN_CHARACTERS);
}

const countEncoded = (words: readonly string[]) => words.filter(looksEncoded).join("").length;

/** Decodes percent encoding, up to three times. Invalid sequences stay. */
function decodePercent(text: string): string {
  let decoded = text;
  for (let round = 0; round < 3; round++) {
    decoded = decoded.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll("%", ""), "hex").toString(),
    );
  }
  return decoded;
}

/** Judges URLs in an answer whose model has read untrusted texts, which may have asked it to leak data. */
export class LinkJudge {
  readonly #known: KnownLinks;
  readonly #passages: PrivatePassages;

  constructor(known: KnownLinks) {
    this.#known = known;
    this.#passages = new PrivatePassages(known.privateTexts);
  }

  /**
   * Returns true if a client that uses the destination could send data of the conversation to a host that no
   * participant has mentioned. A URL that loads without a click must be on a known host, because the mere choice
   * between several URLs would leak data.
   */
  isUnsafe(destination: string, use: LinkUse): boolean {
    return readAddresses(destination).some((address) => this.#isUnsafeAddress(address, destination, use));
  }

  #isUnsafeAddress(address: URL, destination: string, use: LinkUse): boolean {
    const { protocol } = address;
    if (hostSchemes.has(protocol)) {
      if (this.#isAllowed(address.hostname)) return false;
      const isKnown = this.#known.hosts.has(address.hostname);
      if (isKnown && use !== "load") return false;
      if (!isKnown && use === "load") return true;
      return this.#carriesData(address) && !this.#isInPrompt(destination);
    }
    if (use === "load" || contentSchemes.has(protocol)) return use !== "text";
    if (this.#isInPrompt(destination)) return false;
    if (contactSchemes.has(protocol) || use === "text") return this.#carriesData(address);
    return true;
  }

  #isAllowed(host: string): boolean {
    return this.#known.allowedHosts.some((allowed) => host === allowed || host.endsWith(`.${allowed}`));
  }

  /**
   * Returns true if the prompt contains the whole URL. If it contains only a longer one, the place where it was cut
   * could encode data.
   */
  #isInPrompt(destination: string): boolean {
    const { prompt } = this.#known;
    for (let at = prompt.indexOf(destination); at >= 0; at = prompt.indexOf(destination, at + 1)) {
      const rest = prompt.slice(at + destination.length, at + destination.length + 2);
      if (!/^[.,;:!?'*_~)]?[^\s"'<>`|\\\])}.,;:!?*_~]/.test(rest)) return true;
    }
    return false;
  }

  /** Returns true if a URL contains passages of the private texts, or text that looks encoded or spelled out. */
  #carriesData({ protocol, username, password, hostname, port, pathname, search, hash }: URL): boolean {
    const isContact = contactSchemes.has(protocol);
    if (!isContact && username + password !== "") return true;
    // A sender can choose the labels before the domain, and the domain only with a registration.
    const labels = hostname.split(".").slice(0, -2).join(".");
    const raw = `${labels}:${port} ${pathname} ${search} ${hash}`;
    if (raw.length > MAX_ADDRESS_CHARACTERS) return true;
    const text = decodePercent(raw);
    const words = text.match(/[A-Za-z\d]+/g) ?? [];
    return (
      words.some(({ length }) => length >= MAX_WORD_CHARACTERS) ||
      words.some((word) => word.length > MAX_DIGITS && /^\d+$/.test(word)) ||
      words.filter(({ length }) => length <= 2).length >= MIN_SHORT_WORDS ||
      // Hosts have no capital letters, so an encoding is less visible in them.
      countEncoded(words) + countEncoded(labels.split(/[^a-z\d]+/)) >= MIN_ENCODED_CHARACTERS ||
      this.#passages.areIn(text)
    );
  }
}
