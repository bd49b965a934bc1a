import { importFailures } from "../../api/knowledge/imports.ts";
import { MAX_WEB_PAGE_BYTES } from "../../api/limits.ts";
import { findSetting, settings } from "../../lib/env.ts";
import { isPublicAddress } from "../../lib/outgoing/addresses.ts";
import { OutgoingError, readBounded, requestGuarded } from "../../lib/outgoing/guarded-request.ts";

/** Code of a failed import. */
export type ImportFailure = keyof typeof importFailures;

/** Error for a page that cannot be imported. `message` is shown to users. */
export class ImportError extends Error {
  readonly code: ImportFailure;

  constructor(code: ImportFailure) {
    super(importFailures[code]);
    this.code = code;
  }
}

/** Response of a public web server. */
export interface PublicPage {
  /** URL after redirects. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly content: Buffer;
}

export interface FetchOptions {
  /** Returns true if an IP address to which a host resolves may be requested. Only tests replace it. */
  readonly isAllowed?: (address: string) => boolean;
  /** Called before each request, including those to redirect targets. It rejects the request by throwing an error. */
  readonly authorize?: (url: URL) => Promise<void>;
  readonly signal?: AbortSignal;
  readonly maxBytes?: number;
  /** True to truncate content at `maxBytes` instead of throwing an error. */
  readonly isTruncated?: boolean;
}

const TIMEOUT_MS = 15_000;

/** User agent of the importer. Its product name also applies in robots.txt. */
export const USER_AGENT = "SwitchboardImporter/1.0";

function isAllowedPort({ port, protocol }: URL): boolean {
  const ports = (findSetting("IMPORT_PORTS") || settings.knowledge.IMPORT_PORTS).split(",");
  return ports.includes(port || (protocol === "https:" ? "443" : "80"));
}

/**
 * Fetches a page from the public internet, with limits of time, size and redirects. Redirect targets are checked like
 * the first URL. Sends no credentials and no cookies.
 * @throws ImportError, and errors of `authorize` that are not `ImportError` as `unreachable`
 */
export async function fetchPublic(url: string, options: FetchOptions = {}): Promise<PublicPage> {
  const { isAllowed = isPublicAddress, maxBytes = MAX_WEB_PAGE_BYTES, isTruncated = false } = options;
  const { authorize, signal = AbortSignal.timeout(TIMEOUT_MS) } = options;
  try {
    const response = await requestGuarded(url, {
      headers: { "user-agent": USER_AGENT, accept: "text/html,*/*;q=0.8" },
      findRefusal: (address, target) => {
        if (!isAllowed(address)) return "address_not_allowed";
        return isAllowedPort(target) ? null : "port_not_allowed";
      },
      ...(authorize && { authorize }),
      redirects: "any-origin",
      signal,
    });
    const content = await readBounded(response, maxBytes, signal, isTruncated);
    return { url: response.url, status: response.status, contentType: response.headers["content-type"] ?? "", content };
  } catch (error) {
    if (error instanceof ImportError) throw error;
    // The timeout of an import is another failure: that of all its pages.
    const isKnown = error instanceof OutgoingError && error.code !== "timeout";
    throw new ImportError(isKnown ? error.code : "unreachable");
  }
}
