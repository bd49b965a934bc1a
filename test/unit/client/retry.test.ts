import { expect, it } from "vitest";
import { createSwitchboard, isProblem, type SwitchboardOptions } from "#shared/client/index.ts";

interface Attempt {
  readonly key: string | null;
  readonly body: string;
}

/** Creates a client whose requests are answered by `replies` in order; an Error is thrown instead of returned. */
function createClient(replies: readonly (Response | Error)[], options: SwitchboardOptions = {}) {
  const attempts: Attempt[] = [];
  const fetch = async (input: Request | URL | string) => {
    const request = input as Request;
    attempts.push({ key: request.headers.get("idempotency-key"), body: await request.text() });
    const reply = replies[attempts.length - 1] ?? new Error("unexpected request");
    if (reply instanceof Error) throw reply;
    return reply;
  };
  return { switchboard: createSwitchboard({ baseUrl: "https://service.test", fetch, ...options }), attempts };
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ type: "/problems/x", title: "Title", status, code }, { status, headers });

const conversation = { id: "c-1", title: "Plans" };
const create = { body: { title: "Plans" } };

it("typed client repeats a POST with the same Idempotency-Key when the service is overloaded or the connection is lost", async () => {
  const { switchboard, attempts } = createClient([
    problem(503, "unavailable"),
    new TypeError("fetch failed"),
    Response.json(conversation, { status: 201 }),
  ]);
  expect(await switchboard.POST("/v1/conversations", create)).toMatchObject(conversation);
  expect(attempts).toHaveLength(3);
  expect(attempts[0]?.key).toMatch(/^\S{10,}$/);
  expect(new Set(attempts.map(({ key }) => key)).size).toBe(1);
  expect(new Set(attempts.map(({ body }) => body))).toEqual(new Set(['{"title":"Plans"}']));
});

it("typed client waits for the seconds in Retry-After before it repeats a request", async () => {
  const { switchboard, attempts } = createClient([
    problem(429, "rate_limited", { "retry-after": "1" }),
    Response.json({ conversations: [], limit: 50, next_cursor: null }),
  ]);
  const startedAt = performance.now();
  await switchboard.GET("/v1/conversations");
  expect(performance.now() - startedAt).toBeGreaterThan(980);
  expect(attempts).toHaveLength(2);
});

it("typed client rejects without another attempt when Retry-After exceeds a minute", async () => {
  const { switchboard, attempts } = createClient([problem(429, "rate_limited", { "retry-after": "3600" })]);
  const failure = await switchboard.GET("/v1/me").catch((error: unknown) => error);
  expect(isProblem(failure, "rate_limited") && failure.retryAfterSeconds).toBe(3600);
  expect(attempts).toHaveLength(1);
});

it.each([
  ["quota_exceeded", "30"],
  ["rate_limited", "3600"],
])(
  "typed client does not repeat a chat that the service refuses with %s and a Retry-After of %s seconds",
  async (code, seconds) => {
    const { switchboard, attempts } = createClient([problem(429, code, { "retry-after": seconds })], {
      maxRetries: 0,
    });
    const reply = switchboard.chat({ conversation_id: "c-1", content: "Hello" });
    const failure = await reply.next().catch((error: unknown) => error);
    expect(isProblem(failure, code as "rate_limited")).toBe(true);
    expect(attempts).toHaveLength(1);
  },
);

it("typed client does not repeat a PATCH when the connection is lost", async () => {
  const { switchboard, attempts } = createClient([new TypeError("fetch failed")]);
  const init = { params: { path: { id: "c-1" } }, body: { pinned: true } };
  await expect(switchboard.PATCH("/v1/conversations/{id}", init)).rejects.toThrow("fetch failed");
  expect(attempts).toHaveLength(1);
});

it('typed client rejects with the code "unknown" when the error response is not from the service', async () => {
  const { switchboard } = createClient([new Response("<html>", { status: 403 })]);
  const failure = await switchboard.GET("/v1/me").catch((error: unknown) => error);
  expect(isProblem(failure, "unknown")).toBe(true);
  expect(isProblem(failure, "forbidden")).toBe(false);
});

it("typed client requests the pages of a list one at a time", async () => {
  const page = (names: string[], next_cursor: string | null) =>
    Response.json({ personas: names.map((name) => ({ name })), limit: 2, next_cursor });
  const { switchboard, attempts } = createClient([page(["a", "b"], "x"), page(["c"], null)]);
  const names = [];
  for await (const { name } of switchboard.list("/v1/personas")) names.push(name);
  expect(names).toEqual(["a", "b", "c"]);
  expect(attempts).toHaveLength(2);
});

it("typed client asks for the access token before each request and sends it", async () => {
  const seen: (string | null)[] = [];
  let count = 0;
  const switchboard = createSwitchboard({
    baseUrl: "https://service.test",
    token: async () => `token-${++count}`,
    fetch: async (input) => {
      seen.push((input as Request).headers.get("authorization"));
      return Response.json({});
    },
  });
  await switchboard.GET("/v1/me");
  await switchboard.GET("/v1/me");
  expect(seen).toEqual(["Bearer token-1", "Bearer token-2"]);
});
