import type { ExtractedFile } from "./extracted-file.ts";
import { ExtractionError } from "./extraction-error.ts";
import { MAX_EXTRACTED_TEXT_LENGTH, MAX_PAGES } from "./extraction-limits.ts";
import { toHtmlSegments } from "./segments/html-segments.ts";
import type { Segment } from "./segments/segments.ts";
import { resolvePath, toFolder, walkXml } from "./walk-xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Matches algorithms that only obfuscate fonts and leave the text readable. */
const fontAlgorithm = /(?:idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)/;

/**
 * Requires that the text of a book is not encrypted.
 * @throws ExtractionError `encrypted`
 */
async function requireReadable(archive: ZipArchive): Promise<void> {
  if (archive.names.includes("META-INF/rights.xml")) throw new ExtractionError("encrypted");
  walkXml((await archive.findText("META-INF/encryption.xml")) ?? "", {
    open(name, { Algorithm = "" }) {
      if (name === "EncryptionMethod" && !fontAlgorithm.test(Algorithm)) throw new ExtractionError("encrypted");
    },
  });
}

/** Resource of a book, such as a chapter or a picture. */
interface Item {
  readonly href: string;
  readonly mediaType: string;
  /** Id of the item to use if the media type is not supported. */
  readonly fallback: string;
}

/**
 * Matches media types of chapters. The reading order can also contain pictures and data, with a chapter as fallback.
 */
const chapterTypes = /^(?:application\/xhtml\+xml|text\/html|text\/x-oeb1-document|image\/svg\+xml|)$/;

/**
 * Returns the path of an item, or of the first item in its chain of fallbacks that is a chapter; undefined if none is.
 */
function findChapter(items: ReadonlyMap<string, Item>, id: string): string | undefined {
  const visited = new Set<string>();
  for (let item = items.get(id); item && !visited.has(id); item = items.get(id)) {
    if (chapterTypes.test(item.mediaType.trim().toLowerCase())) return item.href;
    visited.add(id);
    id = item.fallback;
  }
  return undefined;
}

/** Returns the title of a book and the paths of its chapters in reading order. */
async function readPackage(archive: ZipArchive): Promise<{ title: string; chapters: string[] }> {
  let packagePath = "";
  walkXml(await archive.getText("META-INF/container.xml"), {
    open(name, attributes) {
      if (name === "rootfile" && packagePath === "") packagePath = attributes["full-path"] ?? "";
    },
  });
  const folder = toFolder(packagePath);
  const items = new Map<string, Item>();
  const chapterIds: string[] = [];
  let title = "";
  let isInTitle = false;
  walkXml(await archive.getText(packagePath), {
    open(name, { id = "", href = "", idref = "", "media-type": mediaType = "", fallback = "" }) {
      if (name === "item") items.set(id, { href, mediaType, fallback });
      else if (name === "itemref") chapterIds.push(idref);
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
  const hrefs = chapterIds.flatMap((id) => findChapter(items, id) ?? []);
  return { title: title.trim(), chapters: hrefs.map(toPath) };
}

function safeDecode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Extracts the chapters of an EPUB book in reading order.
 * @throws ExtractionError `encrypted`, `too_many_pages`, `too_large`, `corrupt` or `suspicious`
 */
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
    if (length > 8 * MAX_EXTRACTED_TEXT_LENGTH) throw new ExtractionError("too_large");
    segments.push(...toHtmlSegments(html));
  }
  return { segments, pageCount: null, ...(title && { title }) };
}
