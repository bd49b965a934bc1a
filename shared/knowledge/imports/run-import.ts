import { importFailures, type KnowledgeImport } from "../../api/knowledge/imports.ts";
import { type TenantScope, tenantTable } from "../../dynamodb/tenant-scope.ts";
import { sha256 } from "../../lib/hash.ts";
import { findCollections } from "../collection-store.ts";
import {
  findDocuments,
  newDocument,
  newDocumentWrites,
  newVersionWrites,
  type VersionFields,
  withNewVersion,
} from "../document-store.ts";
import { findDocumentType } from "../file-types.ts";
import { storeFile, toMediaType } from "../upload-store.ts";
import { fetchPublic, ImportError, type ImportFailure, type PublicPage, USER_AGENT } from "./fetch-public.ts";
import { findImport, type ImportRef, type StoredImport, storeRun } from "./import-store.ts";
import { isAllowedByRobots, parseRobots, type RobotsRule } from "./robots.ts";

/** Import to run. */
export interface ImportJob extends ImportRef {
  readonly tenantId: string;
}

type Page = KnowledgeImport["pages"][number];
type Fetch = (url: string) => Promise<PublicPage>;

const MAX_TITLE_LENGTH = 300;

const toFailure = (code: ImportFailure) => ({ code, message: importFailures[code] });

/** Addresses in a sitemap. @see https://www.sitemaps.org/protocol.html */
function parseSitemap(xml: string): string[] {
  const decode = (text: string) => text.replaceAll("&amp;", "&").trim();
  return [...xml.matchAll(/<loc>\s*(?:<!\[CDATA\[)?([^<\]]{1,2000})/g)].map(([, url = ""]) => decode(url));
}

/** Fetches a page that the robots.txt of its site allows. */
class PoliteFetcher {
  readonly #fetch: Fetch;
  readonly #robots = new Map<string, Promise<RobotsRule[] | null>>();

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  async fetch(url: string): Promise<PublicPage> {
    const { origin, pathname, search } = new URL(url);
    const robots = this.#robots.get(origin) ?? this.#fetchRobots(origin);
    this.#robots.set(origin, robots);
    const rules = await robots;
    if (rules === null || !isAllowedByRobots(rules, pathname + search)) {
      throw new ImportError("disallowed");
    }
    const page = await this.#fetch(url);
    if (page.status !== 200) throw new ImportError("refused");
    return page;
  }

  /**
   * Returns the rules of a site: none if it has no robots.txt, null if that cannot be fetched, in which case no page may be
   * fetched.
   */
  async #fetchRobots(origin: string): Promise<RobotsRule[] | null> {
    const { status, content } = await this.#fetch(`${origin}/robots.txt`);
    if (status === 200) return parseRobots(content.toString(), USER_AGENT.split("/")[0] ?? "");
    return status >= 500 ? null : [];
  }
}

/** Returns the URLs of the pages to import. A sitemap contributes only URLs of its own site. */
async function findUrls({ url, kind, max_pages }: StoredImport, fetcher: PoliteFetcher): Promise<string[]> {
  if (kind === "page") return [url];
  const { content } = await fetcher.fetch(url);
  const { host } = new URL(url);
  const isOwn = (candidate: string) => URL.canParse(candidate) && new URL(candidate).host === host;
  const urls = [...new Set(parseSitemap(content.toString()).filter(isOwn))].slice(0, max_pages);
  if (urls.length === 0) throw new ImportError("empty");
  return urls;
}

/** Returns the fields of the document of a page. */
function toFields({ url, contentType, content }: PublicPage): VersionFields {
  const path = new URL(url).pathname;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const type = findDocumentType("page", contentType) ?? findDocumentType(name);
  if (!type) throw new ImportError("unsupported");
  const heading = type === "html" ? /<title[^>]*>([^<]{1,1000})/i.exec(content.toString("utf8", 0, 65_536))?.[1] : "";
  const title = heading?.replace(/\s+/g, " ").trim() || url;
  return {
    title: [...title].slice(0, MAX_TITLE_LENGTH).join(""),
    uri: url.slice(0, 2_000),
    metadata: {},
    file_name: name || "index.html",
    media_type: toMediaType(type),
    size: content.length,
  };
}

/** Stores a page as a document, or as a new version of its document if it has changed. */
async function storePage(
  scope: TenantScope,
  current: StoredImport,
  url: string,
  page: PublicPage,
): Promise<{ documentId: string; hash: string }> {
  const hash = sha256(page.content.toString("base64"));
  const known = current.pages.find((candidate) => candidate.url === url)?.document_id;
  const [document] = known ? await findDocuments(scope, [{ id: known, collection_id: current.collection_id }]) : [];
  if (document && !document.deleted) {
    if (current.hashes[url] === hash) return { documentId: document.id, hash };
    const changed = withNewVersion(document, toFields(page));
    await storeFile(scope, changed, page.content);
    await tenantTable(scope).transact(newVersionWrites(scope, changed, null));
    return { documentId: document.id, hash };
  }
  const created = newDocument(current.collection_id, current.author_id, { ...toFields(page), source: null });
  await storeFile(scope, created, page.content);
  await tenantTable(scope).transact(newDocumentWrites(scope, [{ document: created, source: null }]));
  return { documentId: created.id, hash };
}

/**
 * Runs an import: fetches its pages, one after the other, and stores those that are new or have changed.
 * @param fetch fetches a page; only tests replace it
 */
export async function runImport(job: ImportJob, fetch: Fetch = fetchPublic): Promise<void> {
  const scope: TenantScope = { tenantId: job.tenantId };
  const current = await findImport(scope, job);
  const [collection] = await findCollections(scope, [job.collection_id]);
  if (!current || !collection) return;
  const fetcher = new PoliteFetcher(fetch);
  const pages: Page[] = [];
  const hashes: Record<string, string> = {};
  const toCode = (error: unknown): ImportFailure => {
    if (error instanceof ImportError) return error.code;
    throw error;
  };
  try {
    for (const url of await findUrls(current, fetcher)) {
      try {
        const { documentId, hash } = await storePage(scope, current, url, await fetcher.fetch(url));
        pages.push({ url, document_id: documentId, failure: null });
        hashes[url] = hash;
      } catch (error) {
        const known = current.pages.find((page) => page.url === url);
        pages.push({ url, document_id: known?.document_id ?? null, failure: toFailure(toCode(error)) });
        // The hash of the last version is kept, so that the page is not stored again when it can be fetched again.
        if (known && current.hashes[url]) hashes[url] = current.hashes[url];
      }
    }
  } catch (error) {
    return storeRun(scope, { ...current, status: "failed", failure: toFailure(toCode(error)) });
  }
  const failure = pages.every((page) => page.failure) ? (pages[0]?.failure ?? null) : null;
  await storeRun(scope, { ...current, status: failure ? "failed" : "ready", failure, pages, hashes });
}
