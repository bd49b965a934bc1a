import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { codeOf, Failure, messageOf } from "../failure.ts";
import { trace, warn } from "../log.ts";
import { type Exchange, headerPairs, type Origin, readBody } from "./gateway-request.ts";
import { bodyLimit } from "./rest-api.ts";

/** Headers between two hops, which a proxy does not pass on. */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** The one public HTTP server, in CloudFront's place. */
export class Gateway {
  readonly #server: Server;
  readonly #inFlight = new Set<Promise<void>>();
  #open: (origin: Origin) => void = () => {};
  readonly #origin: Promise<Origin>;
  #onAnswered: () => void = () => {};

  private constructor() {
    this.#origin = new Promise((resolve) => {
      this.#open = resolve;
    });
    this.#server = createServer(
      { noDelay: true, keepAliveTimeout: 65_000, headersTimeout: 70_000 },
      (request, response) => {
        const work = this.#answer(request, response).finally(() => this.#inFlight.delete(work));
        this.#inFlight.add(work);
      },
    );
  }

  /**
   * Listens, so that the port is known before anything that depends on it; requests wait until `serve`.
   * @throws Failure when the port is taken
   */
  static async listen(port: number): Promise<Gateway> {
    const gateway = new Gateway();
    await new Promise<void>((resolve, reject) => {
      gateway.#server.once("error", (error) => reject(portFailure(port, error))).listen(port, "127.0.0.1", resolve);
    });
    return gateway;
  }

  /** `127.0.0.1:8787` */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Lets requests through to `origin`. `onAnswered` is told whenever one that may have changed something is over. */
  serve(origin: Origin, onAnswered: () => void): void {
    this.#onAnswered = onAnswered;
    this.#open(origin);
  }

  /** Takes no more connections, and waits up to `graceMs` for the requests in flight. */
  async close(graceMs: number): Promise<void> {
    this.#server.close();
    this.#server.closeIdleConnections();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([Promise.allSettled(this.#inFlight), patience]);
    clearTimeout(timer);
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedAt = performance.now();
    try {
      const exchange = await exchangeOf(request, response);
      const origin = await this.#origin;
      await origin(exchange);
      if (exchange.method !== "GET" && exchange.method !== "HEAD") this.#onAnswered();
    } catch (error) {
      if (codeOf(error) === "ECONNRESET") return;
      warn("gateway", `${request.method} ${request.url}: ${messageOf(error)}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "text/plain" }).end("The local gateway failed; its log says why.");
    }
    trace("gateway", () => {
      const ms = (performance.now() - startedAt).toFixed(1);
      return `${request.method} ${request.url} ${response.statusCode} ${ms} ms`;
    });
  }
}

/** What a request is about: proxies are told it with scheme and host, and `OPTIONS *` is about nothing in particular. */
function targetOf({ url = "/" }: IncomingMessage): string {
  if (url.startsWith("/")) return url;
  const { pathname, search } = URL.parse(url) ?? { pathname: "/", search: "" };
  return pathname + search;
}

async function exchangeOf(request: IncomingMessage, response: ServerResponse): Promise<Exchange> {
  const [path = "/", ...query] = targetOf(request).split("?");
  const sourceIp = request.socket.remoteAddress ?? "127.0.0.1";
  const body = await readBody(request, bodyLimit);
  if (body.length > bodyLimit) response.setHeader("connection", "close");
  const sent = headerPairs(request).filter(([name]) => !hopByHop.has(name.toLowerCase()));
  const forwarded = sent.filter(([name]) => name.toLowerCase() === "x-forwarded-for").map(([, value]) => value);
  return {
    method: request.method ?? "GET",
    path,
    query: query.join("?"),
    headers: [
      ...sent.filter(([name]) => !/^x-forwarded-(for|proto|port)$/i.test(name)),
      ["X-Forwarded-For", [...forwarded, sourceIp].join(", ")],
      ["X-Forwarded-Proto", "http"],
      ["X-Forwarded-Port", String(request.socket.localPort ?? "")],
    ],
    body,
    sourceIp,
    response,
  };
}

function portFailure(port: number, error: Error): Error {
  if (codeOf(error) === "EADDRINUSE")
    return new Failure(
      `Port ${port} is in use. Stop what listens there, or choose another: PORT=0 takes any free one.`,
    );
  if (codeOf(error) === "EACCES")
    return new Failure(`Port ${port} needs more rights. Choose another: PORT=8787 npm start`);
  return error;
}
