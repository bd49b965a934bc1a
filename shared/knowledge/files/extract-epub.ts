import { toHtmlSegments } from "../indexing/html-segments.ts";
import type { Segment } from "../indexing/segments.ts";
import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_PAGES, MAX_TEXT_LENGTH } from "./extraction-limits.ts";
import { resolvePath, toFolder, walkXml } from "./walk-xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Algorithms that obfuscate fonts only, which does not affect the text. */
const fontAlgorithm = /(?:idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/;

/** @throws ExtractionError `encrypted` if the text of the book is protected */
async function requireReadable(archive: ZipArchive): Promise<void> {
  if (archive.names.includes("META-INF/rights.xml")) throw new ExtractionError("encrypted");
  walkXml((await archive.findText("META-INF/encryption.xml")) ?? "", {
    open(name, { Algorithm = "" }) {
      if (name === "EncryptionMethod" && !fontAlgorithm.test(Algorithm)) throw new ExtractionError("encrypted");
    },
  });
}

/** Title and paths of the chapters in reading order. */
async function readPackage(archive: ZipArchive): Promise<{ title: string; chapters: string[] }> {
  let packagePath = "";
  walkXml(await archive.getText("META-INF/container.xml"), {
    open(name, attributes) {
      if (name === "rootfile" && packagePath === "") packagePath = attributes["full-path"] ?? "";
    },
  });
  const folder = toFolder(packagePath);
  const hrefs = new Map<string, string>();
  const chapters: string[] = [];
  let title = "";
  let isInTitle = false;
  walkXml(await archive.getText(packagePath), {
    open(name, { id = "", href = "", idref = "" }) {
      if (name === "item") hrefs.set(id, href);
      else if (name === "itemref") chapters.push(hrefs.get(idref) ?? "");
      else if (name === "title") isInTitle = title === "";
    },
    close(name) {
      if (name === "title") isInTitle = false;
    },
    text(data) {
      if (isInTitle) title += data;
    },
  });
  const toPath = (href: string) => {
    const path = resolvePath(folder, href.split("#")[0] ?? "");
    return archive.names.includes(path) ? path : safeDecode(path);
  };
  return { title: title.trim(), chapters: chapters.map(toPath) };
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Extracts the chapters of an EPUB book in reading order. */
export async function extractEpub(archive: ZipArchive): Promise<ExtractedFile> {
  await requireReadable(archive);
  const { title, chapters } = await readPackage(archive);
  if (chapters.length > MAX_PAGES) throw new ExtractionError("too_many_pages");
  const segments: Segment[] = [];
  let length = 0;
  for (const chapter of chapters) {
    const html = (await archive.findText(chapter)) ?? "";
    length += html.length;
    // Markup is at most a few times as long as its text.
    if (length > 8 * MAX_TEXT_LENGTH) throw new ExtractionError("too_large");
    segments.push(...toHtmlSegments(html));
  }
  return { segments, pageCount: null, ...(title && { title }) };
}
