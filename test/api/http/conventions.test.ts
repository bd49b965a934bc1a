import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { Client, readResponse } from "#test/support/client.ts";

const client = new Client();
const jsonHeaders = { "content-type": "application/json" };
const send = async (
  body: string | Uint8Array<ArrayBuffer> | undefined,
  headers: Record<string, string> = jsonHeaders,
) =>
  readResponse(
    await client.fetch("/v1/conversations", { method: "POST", headers, ...(body !== undefined && { body }) }),
  );

const countConversations = async () => (await client.get("/v1/conversations")).body.conversations.length;

/** Invalid bodies with headers, status and problem code. */
const invalidBodies: [string, string | undefined, Record<string, string>, number, string][] = [
  ["not JSON", "{title", jsonHeaders, 400, "malformed_body"],
  ["JSON with a trailing comma", '{"title":"x",}', jsonHeaders, 400, "malformed_body"],
  ["an array", "[]", jsonHeaders, 422, "invalid_structure"],
  ["a string", '"title"', jsonHeaders, 422, "invalid_structure"],
  ["null", "null", jsonHeaders, 422, "invalid_structure"],
  ["a number", "1", jsonHeaders, 422, "invalid_structure"],
  ["no body", undefined, jsonHeaders, 422, "invalid_structure"],
  ["no body and no content type", undefined, {}, 422, "invalid_structure"],
  ["a form", "title=x", { "content-type": "application/x-www-form-urlencoded" }, 415, "unsupported_media_type"],
  ["plain text", '{"title":"x"}', { "content-type": "text/plain" }, 415, "unsupported_media_type"],
  ["over 1 MiB", JSON.stringify({ title: "x".repeat(1_048_576) }), jsonHeaders, 413, "payload_too_large"],
  ["over the gateway's limit", `"${"x".repeat(11_000_000)}"`, jsonHeaders, 413, "payload_too_large"],
];

it("HEAD request has the status and headers of GET and no body", async () => {
  const id = await client.createConversation();
  for (const path of [`/v1/conversations/${id}`, "/health", "/v1/conversations/unknown", "/v1/embed/widget.js"]) {
    const [get, head] = [await client.fetch(path), await client.fetch(path, { method: "HEAD" })];
    expect([path, head.status, head.headers.get("content-type")]).toEqual([
      path,
      get.status,
      get.headers.get("content-type"),
    ]);
    expect([path, await head.text()]).toEqual([path, ""]);
    const length = String(Buffer.byteLength(await get.text()));
    expect([path, head.headers.get("content-length")]).toEqual([path, length]);
  }
});

it("API request may have a query parameter that is named like a JavaScript object property", async () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const { status } = await client.get(`/v1/conversations?${name}=1&${name}=2`);
    expect([name, status < 500]).toEqual([name, true]);
  }
});

it.each(invalidBodies)("API request is rejected when its body is %s", async (_, body, headers, status, code) => {
  const before = await countConversations();
  const response = await send(body, headers);
  expect([response.status, response.body?.code]).toEqual([status, code]);
  expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(await countConversations()).toBe(before);
});

it.each([
  [{}, [["title", "required"]]],
  [{ title: "" }, [["title", "too_short"]]],
  [{ title: "   " }, [["title", "too_short"]]],
  [{ title: "x".repeat(201) }, [["title", "too_long"]]],
  [{ title: 1 }, [["title", "invalid_type"]]],
  [{ title: "x", tier: "FAST" }, [["tier", "invalid_value"]]],
  [{ title: "x", colour: "red" }, [["colour", "unknown_field"]]],
  [
    { colour: "red", size: 1, title: "" },
    [
      ["title", "too_short"],
      ["colour", "unknown_field"],
      ["size", "unknown_field"],
    ],
  ],
  [
    { title: 2, tier: 1 },
    [
      ["title", "invalid_type"],
      ["tier", "invalid_value"],
    ],
  ],
])("API request is rejected with an error per invalid field when its body is %j", async (body, expected) => {
  const response = await client.post("/v1/conversations", body);
  expect([response.status, response.body.code]).toEqual([400, "validation_failed"]);
  expect(response.body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual(expected);
  for (const error of response.body.errors)
    expect(Object.keys(error).sort()).toEqual(["code", "location", "message", "path"]);
});

it.each(["0", "101", "-1", "abc", "1.5", ""])(
  'API request is rejected with 400 when the query parameter limit is "%s"',
  async (limit) => {
    const response = await client.get(`/v1/conversations?limit=${limit}`);
    expect([response.status, response.body.code]).toEqual([400, "validation_failed"]);
    expect(response.body.errors[0]).toMatchObject({ path: "limit", location: "query" });
  },
);

it("list endpoint rejects a cursor that was altered or belongs to another list or order with 400 and the code invalid_cursor", async () => {
  expect((await client.get("/v1/conversations?cursor=yesterday")).status).toBe(400);
  const id = await client.createConversation();
  const other = await client.createConversation();
  for (const n of [1, 2, 3]) await client.chat({ conversation_id: id, content: `${n}`, tier: "QUICK" });
  const { body } = await client.get(`/v1/conversations/${id}/messages?limit=2`);
  expect((await client.get(`/v1/conversations/${id}/messages?limit=2&cursor=${body.next_cursor}`)).status).toBe(200);
  for (const path of [
    `/v1/conversations/${other}/messages?cursor=${body.next_cursor}`,
    `/v1/conversations/${id}/messages?order=desc&cursor=${body.next_cursor}`,
    `/v1/conversations/${id}/messages?cursor=${body.next_cursor}A`,
    `/v1/conversations/${id}/messages?cursor=abc`,
  ]) {
    const response = await client.get(path);
    expect([response.status, response.body.code]).toEqual([400, "invalid_cursor"]);
  }
});

const paths: [string, string, number][] = [
  ["GET", "/health", 200],
  ["GET", "/v1/config/feature-flags", 200],
  ["GET", "/v1/consent/activities", 200],
  ["GET", "/v1/me", 200],
  ["GET", "/v1/conversations", 200],
  ["GET", "/v1/conversations/nope", 404],
  ["GET", "/v1/nothing/here", 404],
  ["PUT", "/v1/conversations", 404],
  ["GET", "/v2", 404],
  ["POST", "/v1/runtime/chat", 422],
];

it.each(paths)(
  "API response has headers for security, request id and rate limit: %s %s",
  async (method, path, status) => {
    const { headers, status: actualStatus, body } = await client.request(method, path);
    expect(actualStatus).toBe(status);
    expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    for (const name of ["limit", "remaining", "reset"]) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    if (status >= 400) {
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(body).toMatchObject({ status, request_id: headers.get("x-request-id") });
      expect(body.type).toBe(`/problems/${body.code.replaceAll("_", "-")}`);
    }
  },
);

it("API response repeats the request id of the caller if it is valid, and has a new one otherwise", async () => {
  const echoedResponse = await client.get("/v1/me", { "x-request-id": "My.request_id-1" });
  expect(echoedResponse.headers.get("x-request-id")).toBe("My.request_id-1");
  for (const invalidId of ["with space", "a".repeat(129), "ümlaut", "<script>"]) {
    const { headers } = await client.get("/v1/me", { "x-request-id": encodeURI(invalidId) });
    expect(headers.get("x-request-id")).not.toBe(invalidId);
  }
});

it("unauthenticated endpoint returns its public data: health, feature flags and consent activities", async () => {
  expect((await client.get("/health")).body).toMatchObject({ status: "ok", checks: { database: "ok", model: "ok" } });
  expect((await client.get("/v1/config/feature-flags")).body.flags).toMatchObject({ conversations: true });
  expect((await client.get("/v1/consent/activities")).body.activities[0]).toMatchObject({ required: true });
});

it("caller identity is taken from the request headers when the stage is local", async () => {
  const { body } = await client.get("/v1/me");
  expect(body).toMatchObject({
    user_id: client.identity.user,
    tenant_id: client.identity.tenant,
    roles: ["admin"],
    auth_provider: "local",
  });
  expect(body.tenant_slug).toMatch(/^[a-z0-9]{8}$/);
  expect((await client.get("/v1/me")).body.tenant_slug).toBe(body.tenant_slug);
});

it.each(["", "a b", "ü", "x".repeat(129), "a/b", "a#b"])(
  "caller identity is rejected with 401 when the tenant id is %j",
  async (tenant) => {
    const response = await client.get("/v1/me", { "x-tenant-id": encodeURIComponent(tenant) || " " });
    expect([response.status, response.body.code]).toEqual([401, "unauthorized"]);
    expect(response.headers.get("x-ratelimit-limit")).toBe("0");
  },
);

it("API request whose body is not UTF-8 is refused on REST, streaming and OpenAI-compatible paths", async () => {
  const conversation_id = await client.createConversation();
  const latin1 = (body: unknown) => Uint8Array.from(Buffer.from(JSON.stringify(body), "latin1"));
  const bodies = {
    "/v1/conversations": { title: "Grüße" },
    "/v1/runtime/chat": { conversation_id, content: "Grüße" },
    "/openai/v1/chat/completions": { model: "m", messages: [{ role: "user", content: "Grüße" }] },
  };
  const { body: key } = await client.post(
    "/v1/tenant/api-keys",
    { description: "k", scopes: ["chat.completions"] },
    { "idempotency-key": randomUUID() },
  );
  for (const [path, body] of Object.entries(bodies)) {
    const headers = { ...jsonHeaders, ...(path.startsWith("/openai") && { authorization: `Bearer ${key.key}` }) };
    const response = await readResponse(await client.fetch(path, { method: "POST", headers, body: latin1(body) }));
    expect([path, response.status, response.text]).toEqual([path, 400, expect.stringContaining("not UTF-8")]);
  }
});

it("API request is stored as it was written when its charset or byte order mark names another encoding", async () => {
  const text = JSON.stringify({ title: "Grüße" });
  const sent: [Buffer, string][] = [
    [Buffer.from(text, "latin1"), "application/json; charset=iso-8859-1"],
    [Buffer.from(`\ufeff${text}`, "utf16le"), "application/json"],
    [Buffer.from(`\ufeff${text}`), "application/json; charset=utf-8"],
  ];
  for (const [bytes, contentType] of sent) {
    const { body } = await send(Uint8Array.from(bytes), { "content-type": contentType });
    expect(body.title).toBe("Grüße");
  }
});

it.each(["gzip", "br", "zstd"])("API request is refused when its body is compressed: %s", async (encoding) => {
  const { status, body } = await send("{}", { ...jsonHeaders, "content-encoding": encoding });
  expect([status, body.detail]).toEqual([415, "Send the body without `Content-Encoding`."]);
});
