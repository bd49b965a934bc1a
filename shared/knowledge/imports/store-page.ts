import type { Write } from "../../dynamodb/table.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { findDocumentType } from "../../files/file-types.ts";
import { sha256, sha256Bytes } from "../../lib/hash.ts";
import { findDocuments, newDocument, newDocumentWrites, type VersionFields } from "../document-store.ts";
import { newVersionWrites, withNewVersion } from "../document-versions.ts";
import { storeFile, toMediaType } from "../upload-store.ts";
import { ImportError, type PublicPage } from "./fetch-public.ts";
import type { StoredImport, StoredPage } from "./import-store.ts";

const MAX_TITLE_LENGTH = 300;
const MAX_URI_LENGTH = 2_000;

function toFields({ url, contentType, content }: PublicPage): VersionFields {
  const path = new URL(url).pathname;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const type = findDocumentType("page", contentType) ?? findDocumentType(name);
  if (!type) throw new ImportError("unsupported");
  const heading = type === "html" ? /<title[^>]*>([^<]{1,1000})/i.exec(content.toString("utf8", 0, 65_536))?.[1] : "";
  const title = heading?.replace(/\s+/g, " ").trim() || url;
  return {
    title: [...title].slice(0, MAX_TITLE_LENGTH).join(""),
    uri: url.slice(0, MAX_URI_LENGTH),
    metadata: {},
    file_name: name || "index.html",
    media_type: toMediaType(type),
    size: content.length,
  };
}

/**
 * Returns the document id for a page of a run: a UUIDv7 with the run's start time. It is derived from import, run and
 * URL, so that a repeated job uses the same id.
 */
function toDocumentId({ id, run, started_at_ms = 0 }: StoredImport, url: string): string {
  const time = started_at_ms.toString(16).padStart(12, "0");
  const hash = sha256Bytes(`${id} ${run} ${url}`).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}

/** Writes that store a page, and the state of the page afterwards. */
interface PageChange {
  readonly writes: readonly Write[];
  readonly stored: StoredPage;
}

/**
 * Stores the file of a page and returns the writes for its document: a new document, a new version if the page has
 * changed, or none. A repeated attempt uses the same id and replaces the file of the earlier attempt.
 * @throws ImportError if the file type is not supported
 */
export async function pageWrites(
  scope: TenantScope,
  current: StoredImport,
  page: StoredPage,
  fetched: PublicPage,
): Promise<PageChange> {
  const hash = sha256(fetched.content.toString("base64"));
  const { collection_id, author_id, readers } = current;
  const [document] = page.document_id ? await findDocuments(scope, [{ id: page.document_id, collection_id }]) : [];
  const toStored = (document_id: string): StoredPage => ({
    ...page,
    status: "imported",
    document_id,
    failure: null,
    hash,
  });
  if (document && !document.deleted) {
    // A document whose jobs were interrupted too often has no other way back: the page stays the same.
    const isInterrupted = document.failure?.code === "processing_failed";
    if (page.hash === hash && !isInterrupted) return { writes: [], stored: toStored(document.id) };
    const changed = withNewVersion(document, toFields(fetched));
    await storeFile(scope, changed, fetched.content);
    return { writes: await newVersionWrites(scope, document, changed, null), stored: toStored(document.id) };
  }
  const fields = { ...toFields(fetched), source: null, readers };
  const created = { ...newDocument(collection_id, author_id, fields), id: toDocumentId(current, page.url) };
  await storeFile(scope, created, fetched.content);
  return {
    writes: await newDocumentWrites(scope, [{ document: created, source: null }]),
    stored: toStored(created.id),
  };
}
