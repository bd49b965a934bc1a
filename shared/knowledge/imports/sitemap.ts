import { ImportError } from "./fetch-public.ts";
import type { StoredImport } from "./import-store.ts";
import type { PoliteFetcher } from "./polite-fetcher.ts";

const MAX_ADDRESS_LENGTH = 2_000;

/**
 * Returns the URLs in a sitemap.
 * @see https://www.sitemaps.org/protocol.html
 */
function parseSitemap(xml: string): string[] {
  const decode = (text: string) => text.replaceAll("&amp;", "&").trim();
  return [...xml.matchAll(/<loc>\s*(?:<!\[CDATA\[)?([^<\]]{1,2100})(?=[<\]])/g)].map(([, url = ""]) => decode(url));
}

/**
 * Returns the URLs of the pages of an import: its URL, or those of the same host in its sitemap, at most `max_pages`.
 * @throws ImportError, `empty` if the sitemap contains none
 */
export async function findAddresses({ url, kind, max_pages }: StoredImport, fetcher: PoliteFetcher): Promise<string[]> {
  if (kind === "page") return [url];
  const { content } = await fetcher.fetch(url);
  const { host } = new URL(url);
  const isOwn = (address: string) =>
    address.length <= MAX_ADDRESS_LENGTH && URL.canParse(address) && new URL(address).host === host;
  const addresses = [...new Set(parseSitemap(content.toString()).filter(isOwn))].slice(0, max_pages);
  if (addresses.length === 0) throw new ImportError("empty");
  return addresses;
}
