import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { RtfDocument } from "./rtf-document.ts";
import type { Segment } from "./segments/segments.ts";

/** Maximum nesting of groups. Files of common programs stay below 100. */
const MAX_DEPTH = 5_000;

/** Group in an RTF file. Its settings apply until the group ends. */
interface Group {
  /** Part of the document to which the text of the group belongs. */
  destination: "body" | "fonts" | "styles" | "title" | "ignored";
  isHidden: boolean;
  /** Number of fallback characters after a Unicode character, which are skipped. */
  fallbackLength: number;
  font: number;
}

/** Matches destinations without text of the document. Destinations that start with `\*` are ignored as well. */
const ignoredDestinations =
  /^(?:colortbl|pict|objdata|header[lrf]?|footer[lrf]?|fldinst|nonshppict|sn|sv|bkmkstart|bkmkend|annotation|atn\w+|themedata|listtable|author|operator|keywords|subject|category|comment|company|manager|doccomm|hlinkbase|private|xe|tc|filetbl|revtbl|template|ftnsep\w*|aftnsep\w*|upr)$/;
/** Matches destinations that start with `\*` and contain text of the document. */
const textDestinations = /^(?:shpinst|shptxt|ud|shppict)$/;

/** Text that control words and control symbols stand for. */
const characters: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  lbr: "\n",
  emdash: "—",
  endash: "–",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
  "~": "\u00a0",
  _: "-",
  "{": "{",
  "}": "}",
  "\\": "\\",
  "\n": "\u2029",
  "\r": "\u2029",
};

const isDigit = (code: number) => code >= 48 && code <= 57;
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90);

/** Reads an RTF file in one pass. */
class RtfReader {
  readonly #text: string;
  readonly document = new RtfDocument();
  #group: Group = { destination: "body", isHidden: false, fallbackLength: 1, font: -1 };
  readonly #groups: Group[] = [];
  #position = 0;
  #skipped = 0;
  /** True if the next control word is the name of an optional destination (`\*`). */
  #isOptional = false;
  #isAtGroupStart = false;

  constructor(file: Uint8Array) {
    this.#text = Buffer.from(file.buffer, file.byteOffset, file.byteLength).toString("latin1");
  }

  read(): void {
    while (this.#position < this.#text.length) {
      const character = this.#text[this.#position++] as string;
      if (character === "{") this.#openGroup();
      else if (character === "}") this.#closeGroup();
      else if (character === "\\") this.#readControl();
      else if (character !== "\r" && character !== "\n" && character !== "\0") this.#addByte(character.charCodeAt(0));
    }
    this.document.end();
  }

  #openGroup(): void {
    if (this.#groups.length > MAX_DEPTH) throw new ExtractionError("corrupt");
    this.#groups.push(this.#group);
    this.#group = { ...this.#group };
    this.#skipped = 0;
    this.#isAtGroupStart = true;
  }

  #closeGroup(): void {
    this.document.flush();
    if (this.#group.destination === "styles") this.document.endStyle();
    this.#group = this.#groups.pop() ?? this.#group;
    this.#skipped = 0;
  }

  #addByte(byte: number): void {
    this.#isAtGroupStart = false;
    if (this.#skipped > 0) this.#skipped--;
    else if (!this.#group.isHidden) this.document.addByte(this.#group.destination, byte, this.#group.font);
  }

  #addText(text: string): void {
    if (this.#group.isHidden || this.#group.destination === "ignored") return;
    if (text === "\u2029") this.document.endParagraph();
    else this.document.addText(this.#group.destination, text);
  }

  #readControl(): void {
    const text = this.#text;
    const start = this.#position;
    if (!isLetter(text.charCodeAt(start))) {
      this.#position++;
      const symbol = text[start] ?? "";
      if (symbol === "*") this.#isOptional = true;
      else if (symbol === "'") this.#readHex();
      else if (this.#skipped > 0) this.#skipped--;
      else if (symbol in characters) this.#addText(characters[symbol] ?? "");
      return;
    }
    let end = start;
    while (isLetter(text.charCodeAt(end)) && end - start < 32) end++;
    const word = text.slice(start, end);
    const parameterStart = end;
    if (text[end] === "-") end++;
    while (isDigit(text.charCodeAt(end)) && end - parameterStart < 12) end++;
    const parameter = end > parameterStart ? Number(text.slice(parameterStart, end)) : null;
    this.#position = text[end] === " " ? end + 1 : end;
    this.#applyWord(word, parameter);
    this.#isOptional = false;
    this.#isAtGroupStart = false;
  }

  #readHex(): void {
    const byte = Number.parseInt(this.#text.slice(this.#position, this.#position + 2), 16);
    this.#position += 2;
    if (!Number.isNaN(byte)) this.#addByte(byte);
  }

  #applyWord(word: string, parameter: number | null): void {
    const group = this.#group;
    if (word === "bin") this.#position += Math.max(0, parameter ?? 0);
    else if (word === "u") this.#addUnicode(parameter ?? 0);
    else if (this.#skipped > 0) this.#skipped--;
    else if (word === "uc") group.fallbackLength = Math.min(16, Math.max(0, parameter ?? 1));
    else if (word === "fonttbl") group.destination = "fonts";
    else if (word === "stylesheet") group.destination = "styles";
    else if (word === "title" && this.#isAtGroupStart) group.destination = "title";
    else if (this.#isOptional && !textDestinations.test(word)) group.destination = "ignored";
    else if (this.#isAtGroupStart && ignoredDestinations.test(word)) group.destination = "ignored";
    else if (group.destination === "ignored") return;
    else if (word === "v" || word === "deleted" || word === "htmlrtf") group.isHidden = parameter !== 0;
    else if (word === "plain") group.isHidden = false;
    else if (word === "f") {
      group.font = parameter ?? 0;
      this.document.setFont(group.font);
    } else if (word in characters) this.#addText(characters[word] ?? "");
    else if (!group.isHidden) this.document.apply(group.destination, word, parameter);
  }

  #addUnicode(codeUnit: number): void {
    if (this.#skipped === 0) this.#addText(String.fromCharCode(codeUnit & 0xffff));
    this.#skipped = this.#group.fallbackLength;
  }
}

/** Extracts headings, paragraphs, tables and the title of an RTF file. */
export function extractRtf(file: Uint8Array): ExtractedFile {
  const reader = new RtfReader(file);
  reader.read();
  const { segments, title } = reader.document;
  return { segments: segments as Segment[], pageCount: null, ...(title && { title }) };
}
