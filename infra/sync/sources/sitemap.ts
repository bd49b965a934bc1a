import { gunzipSync } from "node:zlib";
import type { FileSource } from "../source-file.ts";

/** Maximum number of sitemaps that an index and its sitemaps name. */
const MAX_SITEMAPS = 1_000;

const TIMEOUT_MS = 30_000;

async function load(address: string): Promise<Response> {
  const response = await fetch(address, {
    headers: { "user-agent": "switchboard-sync" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${address} returns the status ${response.status}`);
  return response;
}

const decode = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|apos);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" })[name] ?? "",
  );

/** Returns the addresses that the elements `loc` of a sitemap name. */
const locationsOf = (xml: string): string[] =>
  xml
    .split("<loc>")
    .slice(1)
    .map((part) => decode(part.slice(0, Math.max(0, part.indexOf("</loc>"))).trim()));

async function readSitemap(address: string): Promise<string> {
  const content = Buffer.from(await (await load(address)).arrayBuffer());
  return (content[0] === 0x1f && content[1] === 0x8b ? gunzipSync(content) : content).toString();
}

/** Pages of a website that its sitemap, or the sitemaps of its index, name. Only addresses of the same origin are read. */
export const sitemap = (address: string): FileSource =>
  async function* () {
    const { origin } = new URL(address);
    const sitemaps = [address];
    for (const [index, current] of sitemaps.entries()) {
      if (index >= MAX_SITEMAPS) throw new Error(`The index names more than ${MAX_SITEMAPS} sitemaps.`);
      const xml = await readSitemap(current);
      const locations = [...new Set(locationsOf(xml))].filter(
        (each) => URL.canParse(each) && new URL(each).origin === origin,
      );
      if (xml.includes("<sitemapindex")) sitemaps.push(...locations);
      else for (const uri of locations) yield toPage(uri);
    }
  };

function toPage(uri: string) {
  const { pathname, search } = new URL(uri);
  const isPage = !/\.\w{1,8}$/.test(pathname) || /\.(?:html?|php|aspx?|jsp)$/i.test(pathname);
  return {
    path: decodeURI(pathname.slice(1) || "index.html") + search,
    uri,
    mediaType: isPage ? "text/html" : undefined,
    async *read() {
      yield* (await load(uri)).body ?? [];
    },
  };
}
