import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Page to serve. */
export interface Page {
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Web server of a customer, on its own origin. */
export interface PageServer {
  readonly origin: string;
  /** Pages by path. */
  readonly pages: Map<string, Page>;
  stop(): Promise<void>;
}

/** Starts a web server on a free port. */
export async function startPageServer(): Promise<PageServer> {
  const pages = new Map<string, Page>();
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const page = pages.get(request.url ?? "/");
    // Browsers request it on their own.
    if (request.url === "/favicon.ico") response.writeHead(204).end();
    else if (!page) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...page.headers }).end(page.html);
  };
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
