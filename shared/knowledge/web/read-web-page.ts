import { findDocumentType } from "../../files/file-types.ts";
import { ServiceError } from "../../lib/errors.ts";
import { truncate } from "../../lib/truncate.ts";
import { fetchPublic, ImportError } from "../imports/fetch-public.ts";
import { type Fetch, PoliteFetcher } from "../imports/polite-fetcher.ts";

/** Maximum number of bytes of a page that are read. The DOM tree of a page takes many times that. */
const MAX_BYTES = 1_048_576;

/** Length of one part of a page, in UTF-16 code units. */
const PART_CHARACTERS = 12_000;

const MAX_TITLE_CHARACTERS = 300;

/** Part of a page as text. */
interface WebPage {
  /** URL after redirects. */
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Number of parts into which the text is divided. */
  readonly parts: number;
}

/** Replacements for the messages of import failures that mention imports or other limits. */
const messages: Readonly<Partial<Record<ImportError["code"], string>>> = {
  address_not_allowed: "The address is not on the public internet.",
  port_not_allowed: "The port of the address is not allowed.",
  too_many_redirects: "The address redirects too often.",
  unsupported: "The address returns no web page and no text.",
  disallowed: "The robots.txt of the site does not allow programs to read the page.",
};

async function toText(content: Uint8Array, type: "html" | "text"): Promise<string> {
  const { decodeHtml, decodeText } = await import("../../files/decode-text.ts");
  if (type === "text") return decodeText(content);
  const [{ toHtmlSegments }, { toMarkdown }] = await Promise.all([
    import("../../files/segments/html-segments.ts"),
    import("../../files/segments/to-markdown.ts"),
  ]);
  return toMarkdown(toHtmlSegments(decodeHtml(content)));
}

/**
 * Reads a public web page under the same rules as imports: robots.txt, ports and addresses are checked.
 * @param part number of the part, from 1
 * @param fetch replaced only by tests
 * @throws ServiceError `validation_failed` with the reason
 */
export async function readWebPage(url: string, part = 1, fetch: Fetch = fetchPublic): Promise<WebPage> {
  try {
    const page = await new PoliteFetcher(fetch, {}).fetch(url, MAX_BYTES, true);
    const type = findDocumentType("page", page.contentType);
    if (type !== "html" && type !== "text" && type !== "markdown") throw new ImportError("unsupported");
    const text = (await toText(page.content, type === "html" ? "html" : "text")).trim();
    const heading = type === "html" ? /<title[^>]*>([^<]{1,1000})/i.exec(page.content.toString("utf8"))?.[1] : "";
    const parts = Math.max(1, Math.ceil(text.length / PART_CHARACTERS));
    if (part > parts) throw new ServiceError("validation_failed", `The page has ${parts} parts.`);
    return {
      url: page.url,
      title: truncate(heading?.replace(/\s+/g, " ").trim() || page.url, MAX_TITLE_CHARACTERS),
      text: text.slice((part - 1) * PART_CHARACTERS, part * PART_CHARACTERS).toWellFormed(),
      parts,
    };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    throw new ServiceError("validation_failed", messages[error.code] ?? error.message, { cause: error });
  }
}
