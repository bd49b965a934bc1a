import { lookup as resolveHost } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";

/** Reason for which a request to an address that users chose was not sent or not completed. */
export type OutgoingFailure =
  | "address_not_allowed"
  | "port_not_allowed"
  | "unreachable"
  | "timeout"
  | "too_many_redirects"
  | "too_large"
  | "unsupported";

/** A request to an address that users chose failed. */
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
  /** Decides about each address that a name resolves to, before a connection to it; null allows it. */
  readonly findRefusal: (address: string, url: URL) => OutgoingFailure | null;
  /** Called before each request, also for redirect targets; throws an error to refuse it. */
  readonly authorize?: (url: URL) => Promise<void>;
  /** `same-origin` for requests with credentials or a body, which no other server may receive; `none` follows none. */
  readonly redirects: "any-origin" | "same-origin" | "none";
  readonly signal: AbortSignal;
  /** Takes a compressed response although none was asked for: for callers that need its status only. */
  readonly allowsCompressed?: boolean;
}

/** Response whose body is still to be read. It is not compressed, so that its size can be limited, unless the request allows that. */
export interface GuardedResponse {
  /** Address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: IncomingMessage;
}

const MAX_REDIRECTS = 5;

/**
 * Returns a replacement of DNS resolution for sockets that fails for addresses that are not allowed. The socket connects to
 * the very address that was checked, so that a name cannot resolve to another address afterwards.
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

/** Error codes of Node.js, of its HTTP parser and of OpenSSL: capital letters. Errors of `authorize` have others. */
const isConnectionError = (error: Error) =>
  "syscall" in error || ("code" in error && /^[A-Z][A-Z0-9_]+$/.test(String(error.code)));

/** Converts any error of a connection. */
function toOutgoingError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof OutgoingError || !(error instanceof Error)) return error;
  if (signal.aborted)
    return signal.reason?.name === "TimeoutError" ? new OutgoingError("timeout", error) : signal.reason;
  return isConnectionError(error) ? new OutgoingError("unreachable", error) : error;
}

/**
 * Sends a request to an address that users chose, with bounded redirects; every target is checked like the first address.
 * Resolves when the response headers arrive.
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
 * Reads the body of a response.
 * @param isTruncated returns the beginning of a larger body instead of throwing an error
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
