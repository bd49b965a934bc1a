import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KnowledgeDocument } from "#shared/api/knowledge/documents.ts";
import type { KnowledgeImport } from "#shared/api/knowledge/imports.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { redirectedAddress } from "#test/support/redirected-address.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { createMovableClock } from "#test/support/shifted-clock.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";

/** Public address that leads to the web server of this suite. */
const PUBLIC_ADDRESS = "93.184.216.34";

const [tenantCount, importsPerTenant] = sized({ usual: [0, 0], full: [10, 5], soak: [20, 15] });
const pagesPerImport = 4;

/** Sends data until the client closes the connection. */
function sendForever(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/html" });
  const chunk = Buffer.alloc(65_536, "a");
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", send);
  send();
}

/**
 * Imports that harm others unless they are bounded, with the code of their failure. The last one ends when the clock is moved,
 * which would end the others with `timeout`, too.
 */
const hostileImports = { bomb: "too_large", loop: "too_many_redirects", hang: "timeout" } as const;

const sitemapOf = (origin: string, paths: readonly string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join("")}</urlset>`;

/** Time after which an import ends, with a margin. */
const LATER_MS = 11 * 60_000;

describe.runIf(isFullRun)("imports of many tenants", () => {
  const clock = createMovableClock();
  let server: Server;
  let service: Switchboard;
  let origin: string;
  /** Paths of requests that get no response. */
  const hanging = new Set<string>();

  beforeAll(async () => {
    server = createServer((request, response) => {
      const url = request.url ?? "";
      const [, kind, name = "", page] = url.split("/");
      const count = kind === "pages" ? pagesPerImport : 30;
      if (url === "/robots.txt") response.writeHead(404).end();
      else if (page === "sitemap.xml") {
        const paths = Array.from({ length: count }, (_, index) => `/${kind}/${name}/${index}`);
        response.end(sitemapOf(origin, paths));
      } else if (kind === "bomb") sendForever(response);
      else if (kind === "loop") response.writeHead(302, { location: url }).end();
      else if (kind === "pages") {
        response.writeHead(200, { "content-type": "text/html" }).end(`<title>${url}</title><p>Open at seven.</p>`);
      } else hanging.add(url);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    origin = `http://${PUBLIC_ADDRESS}:${port}`;
    const nodeOptions = [redirectedAddress(PUBLIC_ADDRESS), clock.nodeOption];
    service = await startSwitchboard({ env: { IMPORT_PORTS: String(port) }, nodeOptions });
  });

  afterAll(async () => {
    await service?.stop();
    server?.closeAllConnections();
    server?.close();
  });

  async function createCollection(client: Client): Promise<string> {
    const { body } = await client.post("/v1/knowledge/collections", { name: "Pages" });
    return `/v1/knowledge/collections/${body.id}`;
  }

  async function createSitemapImport(client: Client, path: string, address: string): Promise<string> {
    const fields = { url: `${origin}/${address}/sitemap.xml`, kind: "sitemap", max_pages: 30 };
    const { status, body } = await client.post(`${path}/imports`, fields);
    expect([status, body.detail]).toEqual([201, undefined]);
    return `${path}/imports/${body.id}`;
  }

  /** Returns an import when it has ended. */
  async function waitForEnd(client: Client, path: string, timeout: number): Promise<KnowledgeImport> {
    let last: KnowledgeImport | undefined;
    const read = async () => {
      last = (await client.get(path)).body as KnowledgeImport;
      return last.status;
    };
    await expect.poll(read, { timeout, interval: 2_000 }).not.toBe("running");
    return last as KnowledgeImport;
  }

  it("import of a page that does not respond is canceled", async () => {
    const client = new Client(newIdentity(), service.baseUrl);
    const collection = await createCollection(client);
    const { body } = await client.post(`${collection}/imports`, { url: `${origin}/hang/canceled` });
    const path = `${collection}/imports/${body.id}`;
    await expect.poll(() => [...hanging]).toContain("/hang/canceled");
    expect((await client.post(`${path}/cancel`, {})).body).toMatchObject({ status: "canceled", failure: null });
    expect((await client.get(path)).body.status).toBe("canceled");
    expect((await client.post(`${path}/retry`, {})).body.status).toBe("running");
    expect((await client.post(`${path}/cancel`, {})).body.status).toBe("canceled");
  });

  it(`imports of many tenants end within their bounds and store no page twice, ${tenantCount * importsPerTenant} of them next to hostile ones`, async () => {
    const startedAt = Date.now();
    const hostile = new Client(newIdentity(), service.baseUrl);
    const hostileCollection = await createCollection(hostile);
    const hostilePaths = new Map<keyof typeof hostileImports, string>();
    for (const kind of Object.keys(hostileImports) as (keyof typeof hostileImports)[]) {
      hostilePaths.set(kind, await createSitemapImport(hostile, hostileCollection, `${kind}/0`));
    }
    const tenants = Array.from({ length: tenantCount }, () => new Client(newIdentity(), service.baseUrl));
    const imports = await Promise.all(
      tenants.map(async (client, tenant) => {
        const collection = await createCollection(client);
        const paths: string[] = [];
        for (let index = 0; index < importsPerTenant; index++) {
          paths.push(await createSitemapImport(client, collection, `pages/${tenant}-${index}`));
        }
        return { client, collection, paths };
      }),
    );
    await Promise.all(
      imports.map(async ({ client, collection, paths }) => {
        for (const path of paths) {
          const { status, failure, pages } = await waitForEnd(client, path, 300_000);
          expect([status, failure?.code]).toEqual(["ready", undefined]);
          expect(pages.map((page) => page.status)).toEqual(Array(pagesPerImport).fill("imported"));
        }
        const { body } = await client.get(`${collection}/documents?limit=100`);
        const documents = body.documents as KnowledgeDocument[];
        expect(documents).toHaveLength(importsPerTenant * pagesPerImport);
        expect(new Set(documents.map(({ uri }) => uri)).size).toBe(documents.length);
      }),
    );
    console.info(`${tenantCount * importsPerTenant} imports ended after ${Date.now() - startedAt} ms`);
    for (const [kind, path] of hostilePaths) {
      if (kind === "hang") clock.advance(LATER_MS);
      const { status, failure } = await waitForEnd(hostile, path, 240_000);
      console.info(`import ${kind} ended as ${status} (${failure?.code}) after ${Date.now() - startedAt} ms`);
      expect([status, failure?.code]).toEqual(["failed", hostileImports[kind]]);
    }
  });
});
