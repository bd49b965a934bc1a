import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { scopeOf, userScopes } from "#shared/api/scopes.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { isFullRun } from "#test/support/run-size.ts";
import { createKeyClient, KeyClient } from "#test/support/tenancy/key-client.ts";
import { getOidcServer, type ResourceIds, seedTenant, toRequest } from "#test/support/tenant-resources.ts";

/** Bodies of routes without path parameters that refer to existing resources. */
const bodiesWithReferences: readonly (readonly [string, (ids: ResourceIds) => unknown])[] = [
  ["/v1/runtime/chat", ({ conversation }) => ({ conversation_id: conversation, content: "Hello" })],
  [
    "/v1/runtime/chat",
    ({ conversation, attachment }) => ({ conversation_id: conversation, content: "Hello", attachments: [attachment] }),
  ],
  ["/v1/conversations", ({ folder }) => ({ title: "x", folder_id: folder })],
  ["/v1/conversations", ({ persona }) => ({ title: "x", persona_id: persona })],
  ["/v1/folders", ({ folder }) => ({ name: "x", parent_id: folder })],
  [
    "/v1/feedback",
    ({ conversation, message }) => ({ message_id: message, conversation_id: conversation, rating: "up" }),
  ],
  ["/v1/memories", ({ conversation }) => ({ text: "x", scope: "conversation", scope_id: conversation })],
  ["/v1/memories", ({ persona }) => ({ text: "x", scope: "persona", scope_id: persona })],
  ["/v1/notes", ({ conversation }) => ({ title: "x", conversation_id: conversation })],
  ["/v1/webhooks/register", ({ conversation }) => ({ channel_id: "some-channel", conversation_id: conversation })],
  [
    "/v1/tenant/embed-keys",
    ({ persona }) => ({ name: "x", persona_id: persona, allowed_origins: ["https://a.example"] }),
  ],
  [
    "/v1/approvals",
    ({ conversation }) => ({
      type: "data_access",
      action: { operation: "readConversation", params: { conversation_id: conversation } },
    }),
  ],
  [
    "/v1/approvals",
    ({ conversation }) => ({
      type: "share",
      action: { operation: "createShareLink", params: { conversation_id: conversation, expires_in: "1h" } },
    }),
  ],
  ["/v1/data-deletions", ({ colleague }) => ({ user_id: colleague })],
];

const withTitle = (selected: readonly Route[]) =>
  selected.map((route) => [`${route.method} ${route.path}`, route] as const);
const routesWithIds = routes.filter(
  ({ auth, path }) =>
    path.includes("{") &&
    !["none", "webhook-signature", "slack-signature", "teams-token", "deployment-key"].includes(auth),
);
const listRoutes = routes.filter(({ auth, path, method }) => auth === "jwt" && method === "GET" && !path.includes("{"));

/** Returns a request for an access token of a user. */
const toExchange = (user: string, scope: string) => ({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token: user,
  subject_token_type: "urn:switchboard:token-type:user-id",
  scope,
});

const owner = new Client();
const stranger = new Client(newIdentity());
let ownerIds: ResourceIds;
let unknownIds: ResourceIds;
let credentials: Record<string, Record<string, string>>;
/** Credentials of the stranger on `/v1` in addition to a token. */
let programs: readonly Client[];

beforeAll(async () => {
  ownerIds = await seedTenant(owner, "harbour");
  unknownIds = Object.fromEntries(
    Object.keys(ownerIds).map((name) => [name, ["role", "slug"].includes(name) ? "none-such" : randomUUID()]),
  );
  // Session ids are signed, so the unknown one is a valid id with a changed end.
  unknownIds.session = String(ownerIds.session).replace(/[0-9a-f]{4}$/, (end) => (end === "0000" ? "1111" : "0000"));
  const strangerIds = await seedTenant(stranger, "forest");
  const [apiKey, embedKey] = await Promise.all([
    stranger.post(
      "/v1/tenant/api-keys",
      { description: "k", scopes: ["chat.completions", "models.read"] },
      { "idempotency-key": "k" },
    ),
    stranger.post("/v1/tenant/embed-keys", {
      name: "Site",
      persona_id: strangerIds.persona,
      allowed_origins: ["https://www.example.com"],
    }),
  ]);
  const program = await createKeyClient(stranger, { preset: "administrator", scopes: ["users.act_as"] });
  // The same user id in another tenant is another user.
  await new Client({ ...stranger.identity, user: owner.identity.user }).get("/v1/me");
  const { body: token } = await program.post("/v1/tokens", toExchange(owner.identity.user, userScopes.join(" ")));
  const page = new KeyClient(stranger, program.keyId, token.access_token);
  // The same user id, from the identity provider that both tenants have with different audiences.
  const provider = await getOidcServer();
  const claims = { aud: stranger.identity.tenant, sub: owner.identity.user, roles: ["admin"] };
  const federated = new KeyClient(stranger, "", await provider.sign(claims));
  programs = [program, program.onBehalfOf(owner.identity.user), page, federated];
  credentials = {
    jwt: stranger.headers,
    "api-key": { authorization: `Bearer ${apiKey.body.key}` },
    "embed-key": { "x-embed-key": embedKey.body.key, origin: "https://www.example.com" },
  };
});

function request(route: Route, ids: ResourceIds): Promise<ApiResponse> {
  const { path, body } = toRequest(route, ids);
  return new Client(stranger.identity).request(route.method, path, body, {
    ...credentials[route.auth],
    "x-request-id": "same",
  });
}

it.concurrent.each(withTitle(routesWithIds))(
  "operation %s returns the same 404 for another tenant's id and an unknown id",
  async (_, route) => {
    const [foreignResponse, missingResponse] = [await request(route, ownerIds), await request(route, unknownIds)];
    expect([foreignResponse.status, missingResponse.status]).toEqual([404, 404]);
    // The OpenAI-compatible API repeats the model name in its message.
    const withoutSlug = ({ text }: ApiResponse, { slug }: ResourceIds) => text.replaceAll(String(slug), "…");
    expect(withoutSlug(foreignResponse, ownerIds)).toBe(withoutSlug(missingResponse, unknownIds));
  },
);

it.each(
  bodiesWithReferences.map(
    ([path, body]) => [path, Object.keys(body(new Proxy({}, { get: () => "x" })) as object).join(), body] as const,
  ),
)("POST %s with %s returns 404 when a field refers to another tenant's resource", async (path, _, body) => {
  const post = (ids: ResourceIds) =>
    stranger.post(path, body(ids), { "x-request-id": "same", accept: "application/json" });
  const [foreignResponse, missingResponse] = [await post(ownerIds), await post(unknownIds)];
  expect([foreignResponse.status, foreignResponse.text]).toEqual([404, missingResponse.text]);
});

it.concurrent.each(withTitle(listRoutes))("operation %s lists no resources of another tenant", async (_, route) => {
  const query = route.path.endsWith("/search") ? "?q=secret" : "";
  const { status, text } = await stranger.get(route.path + query);
  expect(status).toBe(200);
  for (const [name, id] of Object.entries(ownerIds)) expect(text, name).not.toContain(id);
  expect(text).not.toContain("secret harbour");
  expect(text).not.toContain(owner.identity.tenant);
});

/** Returns the routes that answer otherwise for ids of another tenant than for unknown ones. */
async function findLeaks(client: Client, selected: readonly Route[]): Promise<unknown[]> {
  const leaks: unknown[] = [];
  await mapConcurrent(selected, async (route) => {
    const [foreign, missing] = [toRequest(route, ownerIds), toRequest(route, unknownIds)];
    const send = ({ path, body }: typeof foreign) =>
      client.request(route.method, path, body, { "x-request-id": "same" });
    const [foreignResponse, missingResponse] = [await send(foreign), await send(missing)];
    if (foreignResponse.status !== 404 || foreignResponse.text !== missingResponse.text) {
      leaks.push([route.id, foreignResponse.status, missingResponse.status]);
    }
  });
  return leaks;
}

it("isolation of tenants lets no API key or access token of a single scope reach a resource of another tenant", {
  timeout: 600_000,
}, async () => {
  const user = owner.identity.user;
  const leaks: unknown[] = [];
  let requests = 0;
  for (const scope of userScopes.filter((_, index) => isFullRun || index % 8 === 0)) {
    const selected = routesWithIds.filter((route) => route.auth === "jwt" && !route.keys && scopeOf(route) === scope);
    const key = await createKeyClient(stranger, { scopes: [scope, "users.act_as"] });
    const { body: token } = await key.post("/v1/tokens", toExchange(user, scope));
    for (const client of [key, key.onBehalfOf(user), new KeyClient(stranger, key.keyId, token.access_token)]) {
      leaks.push(...(await findLeaks(client, selected)));
      requests += 2 * selected.length;
    }
  }
  console.log(`${requests} requests of keys and tokens with a single scope`);
  expect(leaks).toEqual([]);
  expect(requests).toBeGreaterThan(50);
});

it("isolation of tenants lets no API key or access token reach a resource of another tenant", {
  timeout: 300_000,
}, async () => {
  const leaks: unknown[] = [];
  for (const client of programs) {
    // Only a full run calls all routes with each credential.
    const isSampled = !isFullRun && client !== programs[0];
    const userRoutes = routesWithIds.filter(
      ({ auth, keys }, index) => auth === "jwt" && !keys && (!isSampled || index % 4 === 0),
    );
    leaks.push(...(await findLeaks(client, userRoutes)));
    for (const route of listRoutes) {
      const { status, text } = await client.get(route.path + (route.path.endsWith("/search") ? "?q=secret" : ""));
      const isLeaked = [...Object.values(ownerIds), "secret harbour", owner.identity.tenant].some((each) =>
        text.includes(each),
      );
      if (status !== 200 || isLeaked) leaks.push([route.id, status]);
    }
  }
  expect(leaks).toEqual([]);
});

it("isolation of tenants leaves a tenant's resources unchanged by all requests of another tenant", async () => {
  for (const [path, name] of [
    ["/v1/conversations", "conversation"],
    ["/v1/folders", "folder"],
    ["/v1/personas", "persona"],
    ["/v1/templates", "template"],
    ["/v1/tools/servers", "tool-server"],
    ["/v1/event-endpoints", "event-endpoint"],
    ["/v1/slack/workspaces", "slack-workspace"],
    ["/v1/teams/workspaces", "teams-workspace"],
    ["/v1/budgets", "budget"],
    ["/v1/memories", "memory"],
    ["/v1/notes", "note"],
    ["/v1/knowledge/collections", "collection"],
    ["/v1/approvals", "approval"],
    ["/v1/feedback", "feedback"],
  ] as const) {
    const { status, text } = await owner.get(`${path}/${ownerIds[name]}`);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toContain("Mine");
  }
});
