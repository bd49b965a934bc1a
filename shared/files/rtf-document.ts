import type { Segment } from "./segments/segments.ts";

/**
 * Encodings by number of the Windows character set.
 * @see Rich Text Format specification 1.9.1, font table
 */
const charsets: Readonly<Record<number, string>> = {
  77: "macintosh",
  128: "shift_jis",
  129: "euc-kr",
  134: "gbk",
  136: "big5",
  161: "windows-1253",
  162: "windows-1254",
  163: "windows-1258",
  177: "windows-1255",
  178: "windows-1256",
  186: "windows-1257",
  204: "windows-1251",
  222: "windows-874",
  238: "windows-1250",
};

/** Encodings by number of the code page, for code pages outside of 1250 to 1258. */
const codePages: Readonly<Record<number, string>> = {
  866: "ibm866",
  874: "windows-874",
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  65001: "utf-8",
};

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decode(bytes: readonly number[], encoding: string): string {
  let decoder = decoders.get(encoding);
  if (!decoder) {
    decoder = new TextDecoder(encoding);
    decoders.set(encoding, decoder);
  }
  return decoder.decode(Uint8Array.from(bytes));
}

/** Part of an RTF file to which text belongs. */
type Destination = "body" | "fonts" | "styles" | "title" | "ignored";

/** Collects the paragraphs and tables of an RTF file. */
export class RtfDocument {
  readonly segments: Segment[] = [];
  title = "";
  #encoding = "windows-1252";
  readonly #fontEncodings = new Map<number, string>();
  #definedFont = 0;
  readonly #headingStyles = new Map<number, number>();
  #style = 0;
  #styleName = "";
  #styleLevel = 0;
  #bytes: number[] = [];
  #bytesDestination: Destination = "body";
  #bytesFont = -1;
  #paragraph = "";
  #level = 0;
  #isInTable = false;
  #rows: string[][] = [];
  #row: string[] = [];

  addByte(destination: Destination, byte: number, font: number): void {
    if (destination === "ignored" || destination === "fonts") return;
    if (destination !== this.#bytesDestination || font !== this.#bytesFont) this.flush();
    this.#bytesDestination = destination;
    this.#bytesFont = font;
    this.#bytes.push(byte);
  }

  addText(destination: Destination, text: string): void {
    this.flush();
    this.#append(destination, text);
  }

  /** Decodes the bytes that were added so far, in the encoding of their font. */
  flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = this.#bytes;
    this.#bytes = [];
    this.#append(this.#bytesDestination, decode(bytes, this.#fontEncodings.get(this.#bytesFont) ?? this.#encoding));
  }

  #append(destination: Destination, text: string): void {
    if (destination === "title") this.title += text;
    else if (destination === "styles") this.#styleName += text;
    else if (destination === "body") this.#paragraph += text;
  }

  setFont(font: number): void {
    this.#definedFont = font;
  }

  /** Applies a control word of the RTF format, such as `\pard`. */
  apply(destination: Destination, word: string, parameter: number | null): void {
    this.flush();
    if (word === "ansicpg") this.#encoding = codePages[parameter ?? 0] ?? toWindowsEncoding(parameter ?? 1_252);
    else if (word === "mac") this.#encoding = "macintosh";
    else if (destination === "fonts") this.#defineFont(word, parameter ?? 0);
    else if (destination === "styles") this.#defineStyle(word, parameter ?? 0);
    else if (destination === "body") this.#applyToBody(word, parameter ?? 0);
  }

  #defineFont(word: string, parameter: number): void {
    const encoding = word === "fcharset" ? charsets[parameter] : word === "cpg" ? codePages[parameter] : undefined;
    if (encoding) this.#fontEncodings.set(this.#definedFont, encoding);
  }

  #defineStyle(word: string, parameter: number): void {
    if (word === "s") this.#style = parameter;
    else if (word === "outlinelevel") this.#styleLevel = parameter + 1;
  }

  endStyle(): void {
    const level = this.#styleLevel || Number(/^\s*heading ([1-6])\b/i.exec(this.#styleName)?.[1] ?? 0);
    if (level >= 1 && level <= 6) this.#headingStyles.set(this.#style, level);
    this.#style = 0;
    this.#styleName = "";
    this.#styleLevel = 0;
  }

  #applyToBody(word: string, parameter: number): void {
    if (word === "par" || word === "sect" || word === "page") this.endParagraph();
    else if (word === "pard") {
      this.#isInTable = false;
      this.#level = 0;
    } else if (word === "intbl") this.#isInTable = true;
    else if (word === "s") this.#level = this.#headingStyles.get(parameter) ?? 0;
    else if (word === "outlinelevel" && parameter < 6) this.#level = parameter + 1;
    else if (word === "cell") this.#row.push(this.#takeText());
    else if (word === "nestcell") this.#paragraph += " ";
    else if (word === "nestrow") this.#paragraph += "\n";
    else if (word === "row") {
      this.#rows.push(this.#row);
      this.#row = [];
    }
  }

  #takeText(): string {
    const text = this.#paragraph.trim();
    this.#paragraph = "";
    return text;
  }

  endParagraph(): void {
    this.flush();
    if (this.#isInTable || this.#row.length > 0) {
      this.#paragraph += "\n";
      return;
    }
    this.#endTable();
    const text = this.#takeText();
    if (text === "") return;
    if (this.#level > 0) this.segments.push({ kind: "heading", level: this.#level, title: text, text });
    else this.segments.push({ kind: "text", text });
  }

  #endTable(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    if (this.#rows.length > 0) this.segments.push({ kind: "table", rows: this.#rows });
    this.#row = [];
    this.#rows = [];
  }

  /** Ends the file, with a last paragraph or table that may not be closed. */
  end(): void {
    this.#isInTable = false;
    if (this.#row.length > 0) this.#row.push(this.#takeText());
    this.#endTable();
    this.endParagraph();
    this.title = this.title.trim();
  }
}

const toWindowsEncoding = (codePage: number) =>
  codePage >= 1_250 && codePage <= 1_258 ? `windows-${codePage}` : "windows-1252";
