import { lookup as resolveHost } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";

/** Reason why a request to an address that users chose was not sent or failed. */
export type OutgoingFailure =
  | "address_not_allowed"
  | "port_not_allowed"
  | "unreachable"
  | "timeout"
  | "too_many_redirects"
  | "too_large"
  | "unsupported";

/** Failure of a request to an address that users chose. */
export class OutgoingError extends Error {
  override name = "OutgoingError";
  readonly code: OutgoingFailure;

  constructor(code: OutgoingFailure, cause?: unknown) {
    super(code, { cause });
    this.code = code;
  }
}

/** Request to an address that users chose. */
export interface GuardedRequest {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /**
   * Returns the reason to refuse an IP address that the host name resolves to, or null to allow it. Called before the
   * connection opens.
   */
  readonly findRefusal: (address: string, url: URL) => OutgoingFailure | null;
  /** Called before each request, also for redirect targets; throws an error to refuse it. */
  readonly authorize?: (url: URL) => Promise<void>;
  /** `same-origin` for requests with credentials or a body, which no other server may receive; `none` follows none. */
  readonly redirects: "any-origin" | "same-origin" | "none";
  readonly signal: AbortSignal;
  /** Accepts a compressed response although the request asks for none. For callers that need only the status. */
  readonly allowsCompressed?: boolean;
}

/**
 * Response whose body was not read yet. The body is uncompressed, so that its size can be limited, unless `allowsCompressed`
 * is set.
 */
export interface GuardedResponse {
  /** Address of the response, after all redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: IncomingMessage;
}

const MAX_REDIRECTS = 5;

/**
 * Returns a DNS lookup for sockets that fails if an address is not allowed. The socket connects to the address that was
 * checked, so that a second resolution of the name cannot lead elsewhere.
 */
const guardedLookup =
  (url: URL, findRefusal: GuardedRequest["findRefusal"]): NonNullable<RequestOptions["lookup"]> =>
  (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 4);
      const [first] = addresses;
      // One address that is not allowed is suspicious enough to refuse the name.
      const refusals = addresses.map(({ address }) => findRefusal(address, url));
      const refusal = first ? refusals.find((each) => each !== null) : "address_not_allowed";
      if (!first || refusal) return callback(new OutgoingError(refusal ?? "address_not_allowed"), "", 4);
      if (options.all) return callback(null, addresses as never, 0 as never);
      return callback(null, first.address, first.family);
    });
  };

function requestOnce(url: URL, { method = "GET", headers, body, findRefusal, signal }: GuardedRequest) {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Sockets resolve names only, so that addresses in a URL are checked here.
  const refusal = isIP(host) === 0 ? null : findRefusal(host, url);
  if (refusal) throw new OutgoingError(refusal);
  return new Promise<IncomingMessage>((resolve, reject) => {
    const open = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = open(url, {
      method,
      lookup: guardedLookup(url, findRefusal),
      signal,
      // A connection of its own: a pooled one could have been checked for another name.
      agent: false,
      headers: {
        ...headers,
        "accept-encoding": "identity",
        ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
      },
    });
    request.on("response", resolve);
    request.on("error", reject);
    request.end(body);
  });
}

function toTarget(url: string, base?: URL): URL {
  if (!URL.canParse(url, base?.href)) throw new OutgoingError("unreachable");
  const target = new URL(url, base);
  const isWeb = ["http:", "https:"].includes(target.protocol) && target.username === "" && target.password === "";
  if (!isWeb) throw new OutgoingError("address_not_allowed");
  return target;
}

/**
 * Returns true for a system error or an error of Node.js, its HTTP parser or OpenSSL, whose codes consist of capital letters.
 * Errors of `authorize` have codes in lower case.
 */
const isConnectionError = (error: Error) =>
  "syscall" in error || ("code" in error && /^[A-Z][A-Z0-9_]+$/.test(String(error.code)));

/**
 * Converts an error of a connection to an `OutgoingError`, with `timeout` if the signal timed out. Returns other errors
 * unchanged, and the reason of the signal if it aborted for another reason.
 */
function toOutgoingError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof OutgoingError || !(error instanceof Error)) return error;
  if (signal.aborted)
    return signal.reason?.name === "TimeoutError" ? new OutgoingError("timeout", error) : signal.reason;
  return isConnectionError(error) ? new OutgoingError("unreachable", error) : error;
}

/**
 * Sends a request to an address that users chose. It follows a limited number of redirects and checks each target like the
 * first address. Resolves when the response headers arrive.
 * @throws OutgoingError; the error of `authorize`; the reason of `signal` unless it is a timeout
 */
export async function requestGuarded(url: string, request: GuardedRequest): Promise<GuardedResponse> {
  let target = toTarget(url);
  const { origin } = target;
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      await request.authorize?.(target);
      const response = await requestOnce(target, request);
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (status >= 300 && status < 400 && location) {
        response.destroy();
        target = toTarget(location, target);
        // Other statuses turn a POST into a GET.
        const isRepeatable = (request.method ?? "GET") === "GET" || status === 307 || status === 308;
        const isAllowed =
          request.redirects === "any-origin" ||
          (request.redirects === "same-origin" && target.origin === origin && isRepeatable);
        if (!isAllowed) throw new OutgoingError("too_many_redirects");
        continue;
      }
      // The request accepts no encoding.
      if (!request.allowsCompressed && (response.headers["content-encoding"] ?? "identity") !== "identity") {
        response.destroy();
        throw new OutgoingError("unsupported");
      }
      return { url: target.href, status, headers: response.headers, body: response };
    }
  } catch (error) {
    throw toOutgoingError(error, request.signal);
  }
  throw new OutgoingError("too_many_redirects");
}

/**
 * Reads the body of a response, up to `maxBytes`.
 * @param isTruncated true to return the first `maxBytes` of a larger body; by default it throws `too_large`
 * @throws OutgoingError
 */
export async function readBounded(
  { body }: Pick<GuardedResponse, "body">,
  maxBytes: number,
  signal: AbortSignal,
  isTruncated = false,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size <= maxBytes) continue;
      body.destroy();
      if (!isTruncated) throw new OutgoingError("too_large");
      break;
    }
  } catch (error) {
    throw toOutgoingError(error, signal);
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
