import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { ImportError, type PublicPage } from "#shared/knowledge/imports/fetch-public.ts";
import { readWebPage } from "#shared/knowledge/web/read-web-page.ts";
import { canSearchWeb, searchWeb } from "#shared/knowledge/web/search-web.ts";

/** Response of the stub. */
let respond: { status: number; body: string };
let received: { request: IncomingMessage; body: string };
const lines: string[] = [];

const server = createServer(async (request, response) => {
  received = { request, body: await readText(request) };
  response.writeHead(respond.status, { "content-type": "application/json" }).end(respond.body);
});

/** Results in the documented form of each provider. */
const braveResults = {
  type: "search",
  query: { original: "tides" },
  web: {
    type: "search",
    results: [
      {
        type: "search_result",
        title: "Tides",
        url: "https://tides.example",
        description: "<strong>High</strong> at 9.",
        language: "en",
      },
    ],
  },
};
const tavilyResults = {
  query: "tides",
  answer: null,
  images: [],
  results: [{ title: "Tides", url: "https://tides.example", content: "High at 9.", score: 0.8, raw_content: null }],
  response_time: "0.9",
};
const searxngResults = {
  query: "tides",
  number_of_results: 0,
  results: [
    { url: "https://tides.example", title: "Tides", content: "High at 9.", engine: "x", engines: ["x"], score: 1 },
  ],
  answers: [],
  unresponsive_engines: [],
};

const select = (provider: string, path: string) => {
  vi.stubEnv("WEB_SEARCH_PROVIDER", provider);
  vi.stubEnv("WEB_SEARCH_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  vi.stubEnv("WEB_SEARCH_API_KEY", "key-1");
  vi.stubEnv("LOG_LEVEL", "info");
};

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
beforeEach(() => {
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((line) => lines.push(String(line)) > 0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => void server.close());

it.each([
  [
    "brave",
    "/res/v1/",
    braveResults,
    "GET",
    "/res/v1/web/search?q=when+is+high+tide&count=6&text_decorations=false&result_filter=web",
    "x-subscription-token",
    "key-1",
    "",
  ],
  [
    "tavily",
    "",
    tavilyResults,
    "POST",
    "/search",
    "authorization",
    "Bearer key-1",
    '{"query":"when is high tide","max_results":6}',
  ],
  [
    "searxng",
    "/",
    searxngResults,
    "GET",
    "/search?q=when+is+high+tide&format=json",
    "authorization",
    "Bearer key-1",
    "",
  ],
])(
  "searchWeb() queries %s in the provider's format and reads the results",
  async (provider, path, results, method, url, header, key, body) => {
    select(provider, path);
    respond = { status: 200, body: JSON.stringify(results) };
    expect(await searchWeb("when is high tide")).toEqual([
      { url: "https://tides.example/", title: "Tides", text: "High at 9." },
    ]);
    const { request } = received;
    expect([request.method, request.url, request.headers[header], received.body]).toEqual([method, url, key, body]);
  },
);

it("searchWeb() finds nothing in a response of Brave without results", async () => {
  select("brave", "");
  respond = { status: 200, body: '{"type":"search","query":{"original":"x"}}' };
  expect(await searchWeb("x")).toEqual([]);
});

it("searchWeb() leaves out results without a valid web address, and limits the number and the length of the others", async () => {
  select("tavily", "");
  const good = { title: "t".repeat(1_000), url: "https://a.example/1", content: "c".repeat(5_000) };
  const bad = [
    null,
    7,
    "x",
    {},
    { url: 1 },
    { url: "javascript:alert(1)" },
    { url: `https://a.example/${"a".repeat(3_000)}` },
  ];
  const results = [...bad, { url: "http://a.example/2" }, ...Array.from({ length: 20 }, () => good)];
  respond = { status: 200, body: JSON.stringify({ results }) };
  const found = await searchWeb("x");
  expect(found.map(({ title, text }) => [title.length, text.length])).toEqual([
    ["http://a.example/2".length, 0],
    ...Array.from({ length: 5 }, () => [300, 2_000]),
  ]);
});

it.each([
  ["a refused key", "brave", 401, '{"type":"ErrorResponse"}'],
  ["an exhausted quota", "tavily", 432, '{"detail":{"error":"limit"}}'],
  ["a form that is not allowed", "searxng", 403, "<html>"],
  ["rubbish", "brave", 200, "<html>secret words</html>"],
  ["another form", "tavily", 200, '{"results":"secret words"}'],
  ["an error with the status of success", "brave", 200, '{"type":"ErrorResponse"}'],
])(
  "searchWeb() fails with one message, and logs no text of the response, after %s",
  async (_, provider, status, body) => {
    select(provider, "");
    respond = { status, body };
    await expect(searchWeb("x")).rejects.toMatchObject({
      code: "unavailable",
      message: "The web search failed. Try again later.",
    });
    expect(lines.join("")).toContain("web search failed");
    expect(lines.join("")).not.toMatch(/secret words|key-1/);
  },
);

it("searchWeb() is not available without a provider", async () => {
  vi.stubEnv("WEB_SEARCH_PROVIDER", "none");
  expect(canSearchWeb()).toBe(false);
  await expect(searchWeb("x")).rejects.toMatchObject({ code: "unavailable" });
});

const html =
  "<html><head><title>Old\n harbor</title></head><body><script>x()</script><h1>Tides</h1><p>High at 9.</p></body>";
const toPage = (text: string, contentType: string): PublicPage => ({
  url: "https://harbor.example/tides",
  status: 200,
  contentType,
  content: Buffer.from(text),
});

/** Site with a robots.txt and one page. */
const siteOf =
  (page: PublicPage, robots = "") =>
  async (url: string, options?: { authorize?: (url: URL) => Promise<void> }) => {
    if (url.endsWith("/robots.txt")) return toPage(robots, "text/plain");
    await options?.authorize?.(new URL(url));
    return page;
  };
const read = (page: PublicPage, part = 1, robots = "") =>
  readWebPage("https://harbor.example/tides", part, siteOf(page, robots));

it("readWebPage() returns the visible text of a page with its title and its address after redirects", async () => {
  const { url, title, text, parts } = await read(toPage(html, "text/html; charset=utf-8"));
  expect([url, title, text, parts]).toEqual(["https://harbor.example/tides", "Old harbor", "# Tides\n\nHigh at 9.", 1]);
});

it("readWebPage() returns a long text in parts", async () => {
  const page = toPage("a".repeat(12_000) + "b".repeat(5), "text/plain");
  expect(await read(page, 2)).toMatchObject({ text: "bbbbb", parts: 2, title: page.url });
  await expect(read(page, 3)).rejects.toThrow("The page has 2 parts.");
});

it.each([
  ["of another format", toPage("%PDF-1.7", "application/pdf"), "", "no web page and no text"],
  ["that robots.txt excludes", toPage(html, "text/html"), "User-agent: *\nDisallow: /", "robots.txt"],
  ["with an error status", { ...toPage(html, "text/html"), status: 404 }, "", "refused the request"],
])("readWebPage() refuses a page %s", async (_, page, robots, message) => {
  await expect(read(page, 1, robots)).rejects.toThrow(message);
});

it("readWebPage() connects to no private address", async () => {
  await expect(readWebPage("http://127.0.0.1:8787/")).rejects.toThrow("not on the public internet");
});

it("readWebPage() throws an unexpected error unchanged, and reports a page that cannot be reached as validation_failed", async () => {
  const broken = async () => {
    throw new TypeError("broken");
  };
  await expect(readWebPage("https://harbor.example", 1, broken)).rejects.toThrow(TypeError);
  const refused = async () => {
    throw new ImportError("unreachable");
  };
  await expect(readWebPage("https://harbor.example", 1, refused)).rejects.toMatchObject({
    code: "validation_failed",
  });
});
