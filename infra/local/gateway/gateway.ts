import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf, Failure, messageOf } from "../failure.ts";
import { trace, warn } from "../log.ts";
import { type GatewayRequest, headerPairs, type OriginHandler, readBody } from "./gateway-request.ts";
import { maxBodyBytes } from "./rest-api.ts";

/** Hop-by-hop headers, which a proxy does not forward. */
const hopByHopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Values of the header `Host` that name this machine, without a port. */
const loopbackName = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

const foreignHost =
  "This instance answers requests to localhost only, so that web pages cannot reach it under names of their own. LOCAL_HOSTS allows more names, such as that of a tunnel.";

/** Public HTTP server of the local runner, in place of CloudFront. */
export class Gateway {
  readonly #server: Server;
  readonly #hosts: ReadonlySet<string>;
  readonly #inFlight = new Set<Promise<void>>();
  #setOrigin: (origin: OriginHandler) => void = () => {};
  readonly #origin: Promise<OriginHandler>;
  #onWrite: () => void = () => {};

  private constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
    this.#origin = new Promise((resolve) => {
      this.#setOrigin = resolve;
    });
    this.#server = createServer(
      { noDelay: true, keepAliveTimeout: 65_000, headersTimeout: 70_000 },
      (request, response) => {
        const work = this.#handle(request, response).finally(() => this.#inFlight.delete(work));
        this.#inFlight.add(work);
      },
    );
  }

  /**
   * Starts to listen. Requests wait until `serve` is called, because the origins need to know the port.
   * @param hosts values of the header `Host` that are accepted in addition to names of this machine
   * @throws Failure if the port is in use
   */
  static async listen(port: number, hosts: readonly string[] = []): Promise<Gateway> {
    const gateway = new Gateway(hosts);
    await new Promise<void>((resolve, reject) => {
      gateway.#server.once("error", (error) => reject(portFailure(port, error))).listen(port, "127.0.0.1", resolve);
    });
    return gateway;
  }

  /** Host and port: `127.0.0.1:8787`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /**
   * Starts to forward requests to an origin.
   * @param onWrite called after each request that can have changed data
   */
  serve(origin: OriginHandler, onWrite: () => void): void {
    this.#onWrite = onWrite;
    this.#setOrigin(origin);
  }

  /** Stops accepting connections and waits up to `graceMs` for requests in flight. */
  async close(graceMs: number): Promise<void> {
    this.#server.close();
    this.#server.closeIdleConnections();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.allSettled(this.#inFlight), timeout]);
    clearTimeout(timer);
    this.#server.closeAllConnections();
  }

  /**
   * Returns false for a request whose `Host` header is another site's name. That site could point its name to this machine,
   * so that its pages read local data (DNS rebinding).
   */
  #isAllowed({ headers }: IncomingMessage): boolean {
    const name = (headers.host ?? "localhost").replace(/:\d*$/, "").toLowerCase();
    return loopbackName.test(name) || this.#hosts.has(name);
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    if (!this.#isAllowed(incoming)) {
      response.writeHead(421, { "content-type": "text/plain", connection: "close" }).end(foreignHost);
      return;
    }
    try {
      const request = await toGatewayRequest(incoming, response);
      const origin = await this.#origin;
      await origin(request);
      if (request.method !== "GET" && request.method !== "HEAD") this.#onWrite();
    } catch (error) {
      if (codeOf(error) === "ECONNRESET") return;
      warn("gateway", `${incoming.method} ${incoming.url}: ${messageOf(error)}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("The local gateway failed. See its log.");
    }
    trace("gateway", () => {
      const ms = (performance.now() - startedAt).toFixed(1);
      return `${incoming.method} ${incoming.url} ${response.statusCode} ${ms} ms`;
    });
  }
}

/** Returns path and query of the request target, which can also be an absolute URL (from proxies) or `*` (`OPTIONS *`). */
function requestTarget({ url = "/" }: IncomingMessage): string {
  if (url.startsWith("/")) return url;
  const { pathname, search } = URL.parse(url) ?? { pathname: "/", search: "" };
  return pathname + search;
}

async function toGatewayRequest(incoming: IncomingMessage, response: ServerResponse): Promise<GatewayRequest> {
  const [path = "/", ...query] = requestTarget(incoming).split("?");
  const sourceIp = incoming.socket.remoteAddress ?? "127.0.0.1";
  const body = await readBody(incoming, maxBodyBytes);
  if (body.length > maxBodyBytes) response.setHeader("connection", "close");
  const sent = headerPairs(incoming);
  // HTTP/1.0 has requests without a host.
  if (!incoming.headers.host) sent.push(["Host", `${incoming.socket.localAddress}:${incoming.socket.localPort}`]);
  const endToEnd = sent.filter(([name]) => !hopByHopHeaders.has(name.toLowerCase()));
  const forwardedFor = endToEnd.filter(([name]) => name.toLowerCase() === "x-forwarded-for").map(([, value]) => value);
  return {
    method: incoming.method ?? "GET",
    path,
    query: query.join("?"),
    headers: [
      ...endToEnd.filter(([name]) => !/^x-forwarded-(for|proto|port)$/i.test(name)),
      ["X-Forwarded-For", [...forwardedFor, sourceIp].join(", ")],
      ["X-Forwarded-Proto", "http"],
      ["X-Forwarded-Port", String(incoming.socket.localPort ?? "")],
    ],
    body,
    sourceIp,
    response,
  };
}

function portFailure(port: number, error: Error): Error {
  if (codeOf(error) === "EADDRINUSE") {
    return new Failure(
      `Port ${port} is in use. Stop the process that uses it, or set another PORT. PORT=0 selects a free port.`,
    );
  }
  if (codeOf(error) === "EACCES") {
    return new Failure(`Port ${port} requires elevated privileges. Set another port: PORT=8787 npm start`);
  }
  return error;
}
