import { PrivatePassages, type PrivateText } from "./private-passages.ts";
import { readAddresses } from "./read-addresses.ts";

/** Facts from which links are judged. */
export interface KnownLinks {
  /** Hosts of the addresses that the participants of the conversation or the instructions mention. */
  readonly hosts: ReadonlySet<string>;
  /** Hosts that the tenant's policy allows, with their subdomains. */
  readonly allowedHosts: readonly string[];
  /** The whole prompt. An answer may repeat its addresses, because the model cannot have added data to them. */
  readonly prompt: string;
  /** Texts whose passages no address may contain. */
  readonly privateTexts: readonly PrivateText[];
}

/** Use of an address by a client: loaded without a click, opened by a click, or text that some clients turn into a link. */
export type LinkUse = "load" | "click" | "text";

/**
 * Limits from which text in an address may be encoded: characters of one word, digits of one number, and characters of all
 * words that look encoded.
 */
const MAX_WORD_CHARACTERS = 40;
const MAX_DIGITS = 16;
const MIN_ENCODED_CHARACTERS = 16;

/** Average length of runs of one kind of characters below which a text looks encoded; it is 1.3 to 2.2 for base64. */
const MAX_ENCODED_RUN_CHARACTERS = 2.7;

/** Minimum number of words of one or two characters that may spell out a text. */
const MIN_SHORT_WORDS = 10;

/** Length above which an address could carry much data in any form. */
const MAX_ADDRESS_CHARACTERS = 500;

/** Schemes whose addresses name the host that receives a request. */
const hostSchemes: ReadonlySet<string> = new Set(["http:", "https:", "ftp:", "ws:", "wss:"]);

/** Schemes of addresses that reach people. Their text is in the query. */
const contactSchemes: ReadonlySet<string> = new Set(["mailto:", "tel:", "sms:", "xmpp:"]);

/** Schemes whose addresses contain a program or a page. */
const contentSchemes: ReadonlySet<string> = new Set(["javascript:", "vbscript:", "data:", "blob:"]);

/** Returns true if a word looks encoded: letters of both cases and digits alternate quickly. */
function looksEncoded(word: string): boolean {
  // A capital letter before small letters is the start of a word.
  const runs = word.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  const digits = word.match(/\d/g)?.length ?? 0;
  const isHexadecimal = digits < word.length && digits * 2 >= word.length;
  return word.length >= 6 && runs >= 3 && (isHexadecimal || word.length / runs < MAX_ENCODED_RUN_CHARACTERS);
}

const countEncoded = (words: readonly string[]) => words.filter(looksEncoded).join("").length;

/** Decodes percent encoding, also where it is applied twice. Invalid sequences stay. */
function decodePercent(text: string): string {
  let decoded = text;
  for (let round = 0; round < 3; round++) {
    decoded = decoded.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll("%", ""), "hex").toString(),
    );
  }
  return decoded;
}

/** Judges addresses in an answer whose model has read texts of others. */
export class LinkJudge {
  readonly #known: KnownLinks;
  readonly #passages: PrivatePassages;

  constructor(known: KnownLinks) {
    this.#known = known;
    this.#passages = new PrivatePassages(known.privateTexts);
  }

  /**
   * Returns true if a client that uses a destination could send data of the conversation to a host that no participant has
   * mentioned. What is loaded must be on a known host, because the choice of one of several addresses would already
   * leak data.
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

  /** Returns true if the prompt contains the whole address, not only its beginning: where it is cut could be a message. */
  #isInPrompt(destination: string): boolean {
    const { prompt } = this.#known;
    for (let at = prompt.indexOf(destination); at >= 0; at = prompt.indexOf(destination, at + 1)) {
      const rest = prompt.slice(at + destination.length, at + destination.length + 2);
      if (!/^[.,;:!?'*_~)]?[^\s"'<>`|\\\])}.,;:!?*_~]/.test(rest)) return true;
    }
    return false;
  }

  /** Returns true if an address carries words of the private texts, or text that looks encoded or spelled out. */
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
