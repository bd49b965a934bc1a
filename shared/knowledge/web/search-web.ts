import * as v from "valibot";
import { findSetting } from "../../lib/env.ts";
import { ServiceError } from "../../lib/errors.ts";
import { log } from "../../lib/log.ts";
import { type ProviderResponse, postJson, readText, requestProvider } from "../../lib/outgoing/post-to-provider.ts";
import { loadSecret } from "../../lib/secrets.ts";
import { truncate } from "../../lib/truncate.ts";

const TIMEOUT_MS = 10_000;

const MAX_RESULTS = 6;
const MAX_TITLE_CHARACTERS = 300;
const MAX_TEXT_CHARACTERS = 2_000;
const MAX_URL_CHARACTERS = 2_000;

export interface WebResult {
  readonly url: string;
  readonly title: string;
  /** Excerpt of the page. */
  readonly text: string;
}

interface SearchProvider {
  /** Default base URL, if the setting `WEB_SEARCH_BASE_URL` is empty. */
  readonly baseUrl: string;
  request(baseUrl: string, apiKey: string, query: string, signal: AbortSignal): Promise<ProviderResponse>;
  /** Schema that validates a response and converts it to the list of results. */
  readonly results: v.GenericSchema<unknown, readonly unknown[]>;
  /** Name of the result field that contains the excerpt. */
  readonly textField: string;
}

const toUrl = (baseUrl: string, path: string, query: Readonly<Record<string, string>>) =>
  new URL(`${baseUrl.replace(/(?<!\/)\/+$/, "")}${path}?${new URLSearchParams(query)}`);

const get = (url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) =>
  requestProvider(url, { method: "GET", headers: { accept: "application/json", ...headers } }, signal);

const Results = v.optional(v.array(v.unknown()), []);
const topLevelResults = v.pipe(
  v.looseObject({ results: v.array(v.unknown()) }),
  v.transform(({ results }) => results),
);

const providers: Readonly<Record<string, SearchProvider>> = {
  /** @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
  brave: {
    baseUrl: "https://api.search.brave.com/res/v1",
    request: (baseUrl, apiKey, q, signal) => {
      const query = { q, count: String(MAX_RESULTS), text_decorations: "false", result_filter: "web" };
      return get(toUrl(baseUrl, "/web/search", query), { "x-subscription-token": apiKey }, signal);
    },
    // The response of a search without results has no `web`.
    results: v.pipe(
      v.looseObject({ type: v.literal("search"), web: v.nullish(v.looseObject({ results: Results })) }),
      v.transform(({ web }) => web?.results ?? []),
    ),
    textField: "description",
  },
  /** @see https://docs.tavily.com/documentation/api-reference/endpoint/search */
  tavily: {
    baseUrl: "https://api.tavily.com",
    request: (baseUrl, apiKey, query, signal) =>
      postJson({ baseUrl, apiKey }, "/search", { query, max_results: MAX_RESULTS }, signal),
    results: topLevelResults,
    textField: "content",
  },
  /** @see https://docs.searxng.org/dev/search_api.html */
  searxng: {
    baseUrl: "",
    request: (baseUrl, apiKey, q, signal) =>
      get(
        toUrl(baseUrl, "/search", { q, format: "json" }),
        apiKey ? { authorization: `Bearer ${apiKey}` } : {},
        signal,
      ),
    results: topLevelResults,
    textField: "content",
  },
};

/** Returns true if a provider for web searches is configured. */
export const canSearchWeb = (): boolean => Object.hasOwn(providers, findSetting("WEB_SEARCH_PROVIDER"));

/** Removes elements with which some providers highlight words in excerpts. */
const toPlainText = (text: string) =>
  text
    .replace(/<\/?(?:strong|b|em)>/gi, "")
    .replace(/\s+/g, " ")
    .trim();

/** Converts a provider's result; null if it has no http or https URL. */
function toResult(entry: unknown, textField: string): WebResult | null {
  const { url, title, [textField]: text } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof url !== "string" || url.length > MAX_URL_CHARACTERS || !URL.canParse(url)) return null;
  if (!["http:", "https:"].includes(new URL(url).protocol)) return null;
  const toText = (value: unknown, maxCharacters: number) =>
    truncate(toPlainText(typeof value === "string" ? value : ""), maxCharacters);
  return {
    url: new URL(url).href,
    title: toText(title, MAX_TITLE_CHARACTERS) || url,
    text: toText(text, MAX_TEXT_CHARACTERS),
  };
}

/**
 * Searches the web with the configured provider. Returns at most `MAX_RESULTS` results.
 * @throws ServiceError `unavailable` if the provider fails or none is configured
 */
export async function searchWeb(query: string): Promise<WebResult[]> {
  const name = findSetting("WEB_SEARCH_PROVIDER");
  const provider = providers[name];
  if (!provider) throw new ServiceError("unavailable", "There is no web search.");
  try {
    const apiKey = await loadSecret(findSetting("WEB_SEARCH_API_KEY"));
    const baseUrl = findSetting("WEB_SEARCH_BASE_URL") || provider.baseUrl;
    const response = await provider.request(baseUrl, apiKey, query, AbortSignal.timeout(TIMEOUT_MS));
    const body = await readText(response);
    if (response.status !== 200)
      throw new Error(`The provider of web searches answered with status ${response.status}`);
    const results = v.parse(provider.results, JSON.parse(body));
    return results.flatMap((entry) => toResult(entry, provider.textField) ?? []).slice(0, MAX_RESULTS);
  } catch (error) {
    // The message of a parser quotes the response.
    const cause = error instanceof SyntaxError || error instanceof v.ValiError ? "unexpected response" : error;
    log.error("web search failed", { provider: name, error: cause });
    throw new ServiceError("unavailable", "The web search failed. Try again later.", { cause: error });
  }
}
