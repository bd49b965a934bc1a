import { deflateRawSync, inflateRawSync } from "node:zlib";
import { MAX_WEB_PAGE_BYTES } from "../../api/limits.ts";
import { type FetchOptions, ImportError, type ImportFailure, type PublicPage, USER_AGENT } from "./fetch-public.ts";
import { isAllowedByRobots, MAX_ROBOTS_BYTES, parseRobots, type RobotsRule } from "./robots.ts";

/** Function that fetches a page: `fetchPublic`, which only tests replace. */
export type Fetch = (url: string, options?: FetchOptions) => Promise<PublicPage>;

/** Timeout for a page, including redirects and the robots.txt files of all sites involved. */
const PAGE_TIMEOUT_MS = 25_000;
const ROBOTS_TIMEOUT_MS = 10_000;

/** Maximum length of all rules that are stored with an import. Rules beyond it are fetched again by each job. */
const MAX_STORED_LENGTH = 30_000;

/** Robots.txt rules of a site, or the reason why none of its pages can be fetched. */
type Verdict = readonly RobotsRule[] | ImportFailure;

const encode = (verdict: Verdict) => deflateRawSync(JSON.stringify(verdict)).toString("base64");
const decode = (text: string) => JSON.parse(inflateRawSync(Buffer.from(text, "base64")).toString()) as Verdict;

/**
 * Fetches pages only if robots.txt allows it, on the page's own site and on each site to which it redirects. The limits
 * of a whole import are in `shared/api/knowledge/imports.ts` and `import-runs.ts`.
 */
export class PoliteFetcher {
  readonly #fetch: Fetch;
  /** Encoded verdicts by origin, which are stored with the run. */
  readonly #stored: Map<string, string>;
  readonly #verdicts = new Map<string, Verdict>();

  /** @param stored encoded verdicts from earlier jobs of the run, by origin */
  constructor(fetch: Fetch, stored: Readonly<Record<string, string>>) {
    this.#fetch = fetch;
    this.#stored = new Map(Object.entries(stored));
  }

  /** Encoded verdicts by origin, to store with the run. */
  get stored(): Record<string, string> {
    return Object.fromEntries(this.#stored);
  }

  /**
   * Fetches a page if robots.txt allows it.
   * @param isTruncated true to truncate a larger page instead of throwing an error
   * @throws ImportError, also for a status other than 200
   */
  async fetch(url: string, maxBytes = MAX_WEB_PAGE_BYTES, isTruncated = false): Promise<PublicPage> {
    const signal = AbortSignal.timeout(PAGE_TIMEOUT_MS);
    const authorize = (target: URL) => this.#authorize(target, signal);
    const page = await this.#fetch(url, { signal, maxBytes, isTruncated, authorize });
    if (page.status !== 200) throw new ImportError("refused");
    return page;
  }

  async #authorize({ origin, pathname, search }: URL, signal: AbortSignal): Promise<void> {
    const verdict = this.#findVerdict(origin) ?? (await this.#requestVerdict(origin, signal));
    if (typeof verdict === "string") throw new ImportError(verdict);
    if (!isAllowedByRobots(verdict, pathname + search)) throw new ImportError("disallowed");
  }

  #findVerdict(origin: string): Verdict | undefined {
    const stored = this.#stored.get(origin);
    return this.#verdicts.get(origin) ?? (stored === undefined ? undefined : decode(stored));
  }

  async #requestVerdict(origin: string, signal: AbortSignal): Promise<Verdict> {
    const verdict = await this.#fetchVerdict(origin, signal);
    this.#verdicts.set(origin, verdict);
    const encoded = encode(verdict);
    const length = [...this.#stored].flat().reduce((sum, text) => sum + text.length, origin.length + encoded.length);
    if (length <= MAX_STORED_LENGTH) this.#stored.set(origin, encoded);
    return verdict;
  }

  /** Fetches the robots.txt of a site. If its server fails, no page of the site may be fetched. */
  async #fetchVerdict(origin: string, pageSignal: AbortSignal): Promise<Verdict> {
    const signal = AbortSignal.any([pageSignal, AbortSignal.timeout(ROBOTS_TIMEOUT_MS)]);
    try {
      const options = { signal, maxBytes: MAX_ROBOTS_BYTES, isTruncated: true };
      const { status, content } = await this.#fetch(`${origin}/robots.txt`, options);
      if (status >= 500) return "disallowed";
      return status === 200 ? parseRobots(content.toString(), USER_AGENT.split("/")[0] ?? "") : [];
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      // RFC 9309 (2.3.1.2): a robots.txt that redirects too often counts as absent.
      return error.code === "too_many_redirects" ? [] : error.code;
    }
  }
}
