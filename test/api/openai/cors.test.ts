import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OpenaiApi, startOpenaiApi } from "#test/support/openai/openai-api.ts";

const origin = "https://app.example.com";
const scopes = ["chat.completions", "models.read"];

let api: OpenaiApi;

beforeAll(async () => {
  api = await startOpenaiApi();
});

afterAll(() => api?.stop());

const paths = ["/models", "/chat/completions"] as const;

const call = (path: (typeof paths)[number], key: string, headers: Record<string, string> = { origin }) =>
  fetch(api.baseUrl + path, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(path === "/chat/completions" && {
      method: "POST",
      body: JSON.stringify({ model: api.slug, messages: [{ role: "user", content: "Hello" }] }),
    }),
  });

const allowedOrigin = ({ headers }: Response) => headers.get("access-control-allow-origin");

describe.each(paths)("CORS on /openai/v1%s", (path) => {
  it(`CORS on /openai/v1${path} allows the request headers of OpenAI's clients in a preflight`, async () => {
    const response = await fetch(api.baseUrl + path, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-stainless-lang,x-stainless-retry-count",
      },
    });
    expect([response.status, allowedOrigin(response)]).toEqual([204, "*"]);
    const allowed = response.headers.get("access-control-allow-headers")?.split(", ");
    for (const name of ["authorization", "content-type", "x-stainless-lang", "x-stainless-retry-count", "*"]) {
      expect(allowed).toContain(name);
    }
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE");
  });

  it(`CORS on /openai/v1${path} allows the origins that the API key lists and rejects others`, async () => {
    const { key } = await api.createKey(scopes, { allowed_origins: [origin] });
    const response = await call(path, key);
    expect([response.status, allowedOrigin(response), response.headers.get("vary")]).toEqual([200, origin, "Origin"]);
    expect(response.headers.get("access-control-expose-headers")).toContain("x-should-retry");
    const rejected = await call(path, key, { origin: "https://evil.example.com" });
    expect([rejected.status, allowedOrigin(rejected)]).toEqual([403, null]);
    expect(await rejected.json()).toMatchObject({ error: { type: "permission_error", code: "origin_not_allowed" } });
    expect((await call(path, key, {})).status).toBe(200);
  });

  it(`CORS on /openai/v1${path} allows every origin when the API key lists *`, async () => {
    const { key } = await api.createKey(scopes, { allowed_origins: ["*"] });
    expect(allowedOrigin(await call(path, key))).toBe(origin);
  });

  it(`CORS on /openai/v1${path} sends no headers when the API key lists no origins`, async () => {
    const response = await call(path, api.key);
    expect([response.status, allowedOrigin(response)]).toEqual([200, null]);
  });

  it(`CORS on /openai/v1${path} lets a web page read the 401 response for an invalid API key`, async () => {
    const response = await call(path, "swk_abcdefgh_00000000000000000000000000000000");
    // API Gateway itself rejects the key on REST routes. Its response is static and allows every origin with `*`.
    expect([response.status, allowedOrigin(response)]).toEqual([401, path === "/models" ? "*" : origin]);
  });
});

it.each([["https://a.example.com/path"], ["a.example.com"], ["https://*.example.com"], [""]])(
  'API key cannot be created with the malformed origin "%s"',
  async (value) => {
    await expect(api.createKey(scopes, { allowed_origins: [value] })).rejects.toThrow(/allowed_origins/);
  },
);
