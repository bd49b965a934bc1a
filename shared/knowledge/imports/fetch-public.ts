import { lookup as resolveHost } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { importFailures } from "../../api/knowledge/imports.ts";
import { findSetting } from "../../lib/env.ts";

/** Code of a failed import. */
export type ImportFailure = keyof typeof importFailures;

/** A page cannot be imported; `message` is shown to users. */
export class ImportError extends Error {
  readonly code: ImportFailure;

  constructor(code: ImportFailure) {
    super(importFailures[code]);
    this.code = code;
  }
}

/** Response of a public web server. */
export interface PublicPage {
  /** Address after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly content: Buffer;
}

/** Settings of a request. */
export interface FetchOptions {
  /** Decides about the addresses that names resolve to; only tests replace it. */
  readonly isAllowed?: (address: string) => boolean;
  /** Called before each request, also for redirect targets; throws an error to refuse it. */
  readonly authorize?: (url: URL) => Promise<void>;
  readonly signal?: AbortSignal;
  /** Size limit of the content. */
  readonly maxBytes?: number;
  /** Returns the beginning of content that exceeds `maxBytes` instead of throwing an error. */
  readonly isTruncated?: boolean;
}

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 15_000;

/** Size limit of a page. */
export const MAX_PAGE_BYTES = 10 * 1_048_576;

/** Ports without the setting `IMPORT_PORTS`. */
const DEFAULT_PORTS = "80,443";

/** Name by which web servers know the importer, also in robots.txt. */
export const USER_AGENT = "SwitchboardImporter/1.0";

/**
 * Checks whether an address is on the public internet: not private, loopback, link-local (which includes the metadata
 * services of cloud providers), multicast or reserved, and not an IPv4 address in another form.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `process` converts IPv4 addresses that are mapped into IPv6.
  const parsed = ipaddr.process(address);
  // Global addresses of IPv6 are in 2000::/3; others can contain IPv4 addresses in deprecated forms.
  const isGlobal = parsed instanceof ipaddr.IPv4 || ((parsed.parts[0] ?? 0) & 0xe000) === 0x2000;
  return isGlobal && parsed.range() === "unicast";
}

/**
 * Returns a replacement of DNS resolution for sockets that fails for addresses that are not allowed. The socket connects to
 * the very address that was checked, so that a name cannot resolve to another address afterwards.
 */
const guardedLookup =
  (isAllowed: (address: string) => boolean): NonNullable<RequestOptions["lookup"]> =>
  (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 4);
      const [first] = addresses;
      // One address that is not allowed is suspicious enough to refuse the name.
      if (!first || !addresses.every(({ address }) => isAllowed(address))) {
        return callback(new ImportError("address_not_allowed"), "", 4);
      }
      if (options.all) return callback(null, addresses as never, 0 as never);
      return callback(null, first.address, first.family);
    });
  };

function requestOnce(url: URL, isAllowed: (address: string) => boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  // Sockets resolve names only, so that addresses in a URL are checked here.
  if (isIP(host) !== 0 && !isAllowed(host)) throw new ImportError("address_not_allowed");
  if (!isAllowedPort(url)) throw new ImportError("port_not_allowed");
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = open(url, {
      lookup: guardedLookup(isAllowed),
      signal,
      // A connection of its own: a pooled one could have been checked for another name.
      agent: false,
      headers: { "user-agent": USER_AGENT, accept: "text/html,*/*;q=0.8", "accept-encoding": "identity" },
    });
    request.on("response", resolve);
    request.on("error", reject);
    request.end();
  });
}

async function readContent(response: IncomingMessage, maxBytes: number, isTruncated: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size <= maxBytes) continue;
    response.destroy();
    if (!isTruncated) throw new ImportError("too_large");
    break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

function isAllowedPort({ port, protocol }: URL): boolean {
  const ports = (findSetting("IMPORT_PORTS") || DEFAULT_PORTS).split(",");
  return ports.includes(port || (protocol === "https:" ? "443" : "80"));
}

function toTarget(url: string, base?: URL): URL {
  if (!URL.canParse(url, base?.href)) throw new ImportError("unreachable");
  const target = new URL(url, base);
  const isWeb = ["http:", "https:"].includes(target.protocol) && target.username === "" && target.password === "";
  if (!isWeb) throw new ImportError("address_not_allowed");
  return target;
}

/**
 * Fetches a page from the public internet, with bounded time, size and redirects. Every redirect is checked like the first
 * address. No credentials and no cookies are sent.
 * @throws ImportError
 */
export async function fetchPublic(url: string, options: FetchOptions = {}): Promise<PublicPage> {
  const { isAllowed = isPublicAddress, authorize, maxBytes = MAX_PAGE_BYTES, isTruncated = false } = options;
  const signal = options.signal ?? AbortSignal.timeout(TIMEOUT_MS);
  let target = toTarget(url);
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      await authorize?.(target);
      const response = await requestOnce(target, isAllowed, signal);
      const status = response.statusCode ?? 0;
      const { location } = response.headers;
      if (status >= 300 && status < 400 && location) {
        response.destroy();
        target = toTarget(location, target);
        continue;
      }
      // The request accepts no encoding.
      if ((response.headers["content-encoding"] ?? "identity") !== "identity") {
        response.destroy();
        throw new ImportError("unsupported");
      }
      const contentType = response.headers["content-type"] ?? "";
      return { url: target.href, status, contentType, content: await readContent(response, maxBytes, isTruncated) };
    }
  } catch (error) {
    if (error instanceof ImportError) throw error;
    throw new ImportError("unreachable");
  }
  throw new ImportError("too_many_redirects");
}
