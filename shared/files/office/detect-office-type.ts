import { parseRelationships, walkXml } from "../walk-xml.ts";
import type { ZipArchive } from "../zip-archive.ts";

/**
 * Returns the path of the main part of an Office file according to the package relationships; undefined if they name
 * none.
 */
export async function findMainPart(archive: ZipArchive): Promise<string | undefined> {
  const parts = parseRelationships(await archive.findText("_rels/.rels"), "");
  return [...parts.values()].find(({ type }) => type === "officeDocument")?.target;
}

/** Last part of the media type of each OpenDocument format, without the suffix of templates. */
const openDocumentTypes = { odt: "text", ods: "spreadsheet", odp: "presentation" } as const;

/** Detects the format of an OpenDocument file by its entry `mimetype`; null for other archives. */
async function detectOpenDocument(archive: ZipArchive): Promise<keyof typeof openDocumentTypes | null> {
  if (!archive.names.includes("content.xml")) return null;
  const mediaType = ((await archive.findText("mimetype")) ?? "").slice(0, 100).trim();
  const kind = /^application\/vnd\.oasis\.opendocument\.(\w+?)(?:-template)?$/.exec(mediaType)?.[1];
  const types = Object.keys(openDocumentTypes) as (keyof typeof openDocumentTypes)[];
  return types.find((type) => openDocumentTypes[type] === kind) ?? null;
}

/** Words in the content type of the main part that identify a document type. */
const contentTypes = { docx: "wordprocessingml", pptx: "presentationml", xlsx: "spreadsheetml" } as const;

/**
 * Detects the format of an OpenDocument file, or of an Office file whose parts are not in the usual folders. The latter
 * is detected by the content type of its main part. Null for other archives.
 */
export async function detectOfficeType(
  archive: ZipArchive,
): Promise<keyof typeof contentTypes | keyof typeof openDocumentTypes | null> {
  const openDocument = await detectOpenDocument(archive);
  if (openDocument) return openDocument;
  const main = await findMainPart(archive);
  if (main === undefined) return null;
  let contentType = "";
  let defaultType = "";
  walkXml((await archive.findText("[Content_Types].xml")) ?? "", {
    open(name, { PartName = "", Extension = "", ContentType = "" }) {
      if (name === "Override" && PartName === `/${main}`) contentType = ContentType;
      else if (name === "Default" && main.endsWith(`.${Extension}`)) defaultType = ContentType;
    },
  });
  const types = Object.keys(contentTypes) as (keyof typeof contentTypes)[];
  return types.find((type) => (contentType || defaultType).includes(contentTypes[type])) ?? null;
}
