import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { isConversationRoute, scopeOf, scopePresets, userScopes } from "#shared/api/scopes.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type ApiResponse, Client } from "#test/support/client.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { seededRandom } from "#test/support/seeded-random.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";

/** Routes of users. Each function takes time to start, so that only a full run calls all of those that must refuse. */
const routesOf = (isAlwaysCalled: (route: Route) => boolean) =>
  routes.filter((route, index) => route.auth === "jwt" && (isFullRun || index % 8 === 0 || isAlwaysCalled(route)));

const newUserId = () => `customer-${randomUUID()}`;
const exchangeOf = (user: string, fields: object = {}) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token: user,
  subject_token_type: "urn:switchboard:token-type:user-id",
  ...fields,
});

let admin: Client;
let backend: KeyClient;
beforeAll(async () => {
  admin = new Client();
  backend = await createKeyClient(admin, { preset: "chat_backend" });
});

async function createTokenClient(key: KeyClient, user: string, fields: object = {}): Promise<KeyClient> {
  const { status, body, text } = await key.post("/v1/tokens", exchangeOf(user, fields));
  if (status !== 200) throw new Error(`The exchange failed: ${status} ${text}`);
  return new KeyClient(admin, key.keyId, body.access_token);
}

it("token exchange returns an access token for a user id, requested as JSON or as a form", async () => {
  const user = newUserId();
  const { headers, body } = await backend.post("/v1/tokens", exchangeOf(user, { expires_in: 600 }));
  expect(body).toMatchObject({
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 600,
    scope: scopePresets.chat_backend.slice(1).join(" "),
  });
  expect(headers.get("cache-control")).toBe("no-store");
  const form = await backend.fetch("/v1/tokens", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...exchangeOf(user), scope: "identity.read", expires_in: "60" }).toString(),
  });
  const { access_token, ...rest } = (await form.json()) as { access_token: string };
  expect(rest).toMatchObject({ expires_in: 60, scope: "identity.read" });
  const me = (await new KeyClient(admin, backend.keyId, access_token).get("/v1/me")).body;
  expect(me).toMatchObject({ user_id: user, tenant_id: admin.identity.tenant, auth_provider: "access_token" });
  expect(Date.parse(me.token_expires_at)).toBeLessThanOrEqual(Date.now() + 61_000);
});

it("access token works on streams as the user, and the audit trail names the key", async () => {
  const user = newUserId();
  const page = await createTokenClient(backend, user);
  const conversation = await page.createConversation();
  const frames = await page.chat({ conversation_id: conversation, content: "Hello", tier: "QUICK" });
  expect(frames.at(-1)?.event).toBe("done");
  const { message_id } = frames[0]?.data ?? {};
  expect((await page.get(`/v1/runtime/chat/${message_id}/stream`)).status).toBe(200);
  const other = await createTokenClient(backend, newUserId());
  expect((await other.get(`/v1/runtime/chat/${message_id}/stream`)).status).toBe(404);
  await expect
    .poll(async () => (await admin.get(`/v1/audit-events?target=${conversation}`)).body.audit_events.at(-1)?.actor)
    .toEqual({ type: "user", id: user, via: { type: "api_key", id: backend.keyId } });
});

it("access token has at most the scopes that were requested, on all routes", async () => {
  const all = await createKeyClient(admin, { preset: "administrator", scopes: ["users.act_as"] });
  const person = newUserId();
  for (const scope of ["knowledge.read", "conversations.write"] as const) {
    const page = await createTokenClient(all, person, { scope });
    const wrong: unknown[] = [];
    await mapConcurrent(
      routesOf((route) => scopeOf(route) === scope),
      async (route) => {
        const path = route.path.replace(/\{\w+\+?\}/g, randomUUID());
        const { status } = await page.request(route.method, path, route.body && {}, {
          "idempotency-key": randomUUID(),
        });
        if ((status === 403) === (scopeOf(route) === scope)) wrong.push([route.id, status]);
      },
    );
    expect([scope, wrong]).toEqual([scope, []]);
  }
});

it("access token with any scope cannot create tokens or keys, act for other users or be extended", async () => {
  const all = await createKeyClient(admin, { preset: "administrator", scopes: ["users.act_as"] });
  const page = await createTokenClient(all, newUserId(), { scope: userScopes.join(" ") });
  const user = newUserId();
  const responses = [
    await page.post("/v1/tokens", exchangeOf(user)),
    await page.get("/v1/me", { "x-on-behalf-of": user }),
    await page.post("/v1/tenant/api-keys", { description: "", scopes: ["identity.read"] }, { "idempotency-key": "k" }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
});

it("access token for one conversation gives access to this conversation only", async () => {
  const user = newUserId();
  const client = backend.onBehalfOf(user);
  const [own, other] = [await client.createConversation(), await client.createConversation()];
  const all = await createKeyClient(admin, { preset: "administrator", scopes: ["users.act_as"] });
  const page = await createTokenClient(all, user, { conversation_id: own, scope: userScopes.join(" ") });
  const question = { content: "Hello", tier: "QUICK" };
  const frames = await page.chat({ conversation_id: own, ...question });
  const run = (await client.chat({ conversation_id: other, ...question }))[0]?.data.message_id;
  expect(frames.at(-1)?.event).toBe("done");
  expect((await page.get(`/v1/conversations/${own}/messages`)).body.messages).toHaveLength(2);
  expect((await page.post("/v1/runtime/chat", { conversation_id: other, ...question })).status).toBe(404);
  expect((await page.get(`/v1/runtime/chat/${run}/stream`)).status).toBe(404);
  expect((await page.post(`/v1/runtime/chat/${run}/stop`, undefined)).status).toBe(404);
  const feedback = { conversation_id: other, message_id: run, rating: "up" };
  expect((await page.post("/v1/feedback", feedback)).status).toBe(404);
  const wrong: unknown[] = [];
  for (const route of routesOf(isConversationRoute).filter(({ keys, group }) => !keys && group !== "chat")) {
    const path = route.path.replace("{id}", other).replace(/\{\w+\+?\}/g, run);
    const { status } = await page.request(route.method, path, route.body && {}, {});
    // Validation precedes the look-up.
    const expected = isConversationRoute(route) ? [400, 403, 404] : [403];
    if (!expected.includes(status)) wrong.push([route.id, status]);
  }
  expect(wrong).toEqual([]);
  expect((await client.get(`/v1/conversations/${other}`)).status).toBe(200);
});

it("access token lets web pages read responses only from the origins that its API key allows", async () => {
  const origin = "https://app.example.com";
  const key = await createKeyClient(admin, { preset: "chat_backend", allowed_origins: [origin] });
  const page = await createTokenClient(key, newUserId());
  const readableBy = async (client: Client, path: string, from: string) => {
    const response = await client.fetch(path, { headers: { origin: from } });
    return response.headers.get("access-control-allow-origin");
  };
  for (const path of ["/v1/me", `/v1/runtime/chat/${randomUUID()}/stream`]) {
    expect(await readableBy(page, path, origin)).toBe(origin);
    expect(await readableBy(page, path, "https://evil.example")).toBe(null);
    expect(await readableBy(admin, path, origin)).toBe(null);
    const headers = {
      origin,
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "authorization",
    };
    const preflight = await fetch(admin.baseUrl + path, { method: "OPTIONS", headers });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
  }
  const withoutOrigins = await createTokenClient(backend, newUserId());
  expect(await readableBy(withoutOrigins, "/v1/me", origin)).toBe(null);
});

it("access token becomes invalid together with its API key, on streaming endpoints too", async () => {
  const key = await createKeyClient(admin, { preset: "chat_backend" });
  const page = await createTokenClient(key, newUserId());
  const question = { conversation_id: await page.createConversation(), content: "Hello" };
  await admin.delete(`/v1/tenant/api-keys/${key.keyId}`);
  expect([(await page.get("/v1/me")).status, (await page.post("/v1/runtime/chat", question)).status]).toEqual([
    401, 401,
  ]);
  const expires_at = new Date(Date.now() + 3_000).toISOString();
  const short = await createTokenClient(
    await createKeyClient(admin, { preset: "chat_backend", expires_at }),
    newUserId(),
  );
  expect((await short.get("/v1/me")).status).toBe(200);
  await expect.poll(async () => (await short.get("/v1/me")).status).toBe(401);
  expect((await short.post("/v1/runtime/chat", question)).status).toBe(401);
});

it("300 forged access tokens are all refused", async () => {
  const random = seededRandom(34);
  const { body } = await backend.post("/v1/tokens", exchangeOf(newUserId()));
  const genuine = String(body.access_token);
  const [payload = "", signature = ""] = genuine.slice(4).split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const pick = <Entry>(entries: readonly Entry[]) => entries[Math.floor(random() * entries.length)] as Entry;
  const alter = (text: string) => {
    const at = Math.floor(random() * text.length);
    return text.slice(0, at) + pick([..."ABCxyz019-_"].filter((each) => each !== text[at])) + text.slice(at + 1);
  };
  const changed = () => {
    const copy = structuredClone(claims);
    const field = Math.floor(random() * 5);
    copy[field] = pick([
      ["x"],
      [newUserId()],
      [[...claims[2], "policy.write"]],
      [randomUUID()],
      [claims[4] + 1_000],
    ])[0];
    return encode(copy);
  };
  const hmac = (secret: string, text: string) => createHmac("sha256", secret).update(text).digest("base64url");
  const forgeries = [
    () => `swt_${changed()}.${signature}`,
    () => `swt_${alter(payload)}.${signature}`,
    // The last character of a Base64 text has unused bits; only the canonical signature is accepted.
    () => `swt_${payload}.${alter(signature)}`,
    () => `swt_${payload}.${randomBytes(32).toString("base64url")}`,
    () =>
      ((forged) => `swt_${forged}.${hmac(pick(["", "secret", "access", claims[0]]), `access:${forged}`)}`)(changed()),
    () => `swt_${payload}.${signature}.${pick(["", signature, "x"])}`,
    () => `swt_${payload}${pick(["", ".", "..", `.${signature.slice(0, -1)}`])}`,
    () => `swt_${encode({ alg: "none" })}.${encode({ sub: newUserId(), tenant_id: admin.identity.tenant })}.`,
    () => `swt_${randomBytes(Math.ceil(random() * 200)).toString("base64url")}`,
  ];
  const accepted: string[] = [];
  await mapConcurrent(Array.from({ length: 300 }), async (_, index = 0) => {
    const token = (forgeries[Math.floor(random() * forgeries.length)] ?? (() => ""))();
    if (token === genuine) return;
    const client = new KeyClient(admin, "", token);
    const { status } = random() < 0.3 ? await client.post("/v1/runtime/chat", {}) : await client.get("/v1/me");
    if (status !== 401) accepted.push(`${index} ${status} ${token}`);
  });
  expect(accepted).toEqual([]);
  expect((await new KeyClient(admin, "", genuine).get("/v1/me")).status).toBe(200);
});

it("200 forged token exchanges are all refused", async () => {
  const random = seededRandom(35);
  const stranger = new Client();
  const foreign = await stranger.createConversation();
  const revoked = await createKeyClient(admin, { preset: "chat_backend" });
  const callers: Record<string, Client> = {
    revoked,
    withoutScope: await createKeyClient(admin, { preset: "administrator" }),
    openai: await createKeyClient(admin, { scopes: ["chat.completions"] }),
    token: await createTokenClient(backend, newUserId()),
    person: admin,
    unknown: new KeyClient(admin, "", `swk_abcdefgh_${"0".repeat(32)}`),
  };
  await admin.delete(`/v1/tenant/api-keys/${revoked.keyId}`);
  const valid = () => exchangeOf(newUserId());
  const fields: readonly (() => object)[] = [
    () => ({ scope: "policy.write" }),
    () => ({ scope: "users.act_as" }),
    () => ({ scope: "chat.completions" }),
    () => ({ scope: "conversations.read nonsense" }),
    () => ({ scope: " " }),
    () => ({ conversation_id: foreign }),
    () => ({ conversation_id: randomUUID() }),
    () => ({ expires_in: [3_601, 0, -1, 59, 1e9, "3601", "1e3", null][Math.floor(random() * 8)] }),
    () => ({ grant_type: ["password", "client_credentials", "", null][Math.floor(random() * 4)] }),
    () => ({
      subject_token: ["", "a\nb", `swk:${backend.keyId}`, "x".repeat(256), 7, null, ["a"]][Math.floor(random() * 7)],
    }),
    () => ({ subject_token_type: "urn:ietf:params:oauth:token-type:jwt" }),
    () => ({ requested_token_type: "urn:ietf:params:oauth:token-type:refresh_token" }),
    () => ({ actor_token: "boss", actor_token_type: "urn:switchboard:token-type:user-id" }),
    () => ({ tenant_id: stranger.identity.tenant }),
    () => ({ audience: stranger.identity.tenant }),
  ];
  const accepted: unknown[] = [];
  const callerNames = Object.keys(callers);
  await mapConcurrent(Array.from({ length: 200 }), async () => {
    const isWrongCaller = random() < 0.3;
    const name = callerNames[Math.floor(random() * callerNames.length)] ?? "";
    const extra = fields[Math.floor(random() * fields.length)]?.() ?? {};
    let response: ApiResponse;
    if (isWrongCaller) response = await (callers[name] as Client).post("/v1/tokens", valid());
    else response = await backend.post("/v1/tokens", { ...valid(), ...extra });
    if (response.status < 400 || response.status > 404) accepted.push([isWrongCaller ? name : extra, response.status]);
  });
  expect(accepted).toEqual([]);
  const repeated = await backend.fetch("/v1/tokens", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `${new URLSearchParams(valid())}&subject_token=boss`,
  });
  expect(repeated.status).toBe(400);
});
