import { beforeAll, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import {
  findChanged,
  forEachMessenger,
  type ResourceIds,
  seedTenant,
  toRequest,
  toUnknownIds,
} from "#test/support/tenant-resources.ts";

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
  ["/v1/test-sets", ({ persona }) => ({ name: "x", persona_id: persona })],
  ["/v1/test-runs", (ids) => ({ set_id: ids["test-set"] })],
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
const routesWithIds = forEachMessenger(routes).filter(
  ({ auth, path }) =>
    path.includes("{") &&
    !["none", "webhook-signature", "slack-signature", "teams-token", "deployment-key"].includes(auth),
);
const listRoutes = forEachMessenger(routes).filter(
  ({ auth, path, method }) => auth === "jwt" && method === "GET" && !path.includes("{"),
);

const owner = new Client();
const stranger = new Client(newIdentity());
let ownerIds: ResourceIds;
let strangerIds: ResourceIds;
let unknownIds: ResourceIds;
let credentials: Record<string, Record<string, string>>;

beforeAll(async () => {
  ownerIds = await seedTenant(owner, "harbour");
  unknownIds = toUnknownIds(ownerIds);
  strangerIds = await seedTenant(stranger, "forest");
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
  const queries: Record<string, string> = {
    "/v1/test-sets": `?persona_id=${strangerIds.persona}`,
    "/v1/test-runs": `?set_id=${strangerIds["test-set"]}`,
  };
  const query = route.path.endsWith("/search") ? "?q=secret" : (queries[route.path] ?? "");
  const { status, text } = await stranger.get(route.path + query);
  expect(status).toBe(200);
  for (const [name, id] of Object.entries(ownerIds)) expect(text, name).not.toContain(id);
  expect(text).not.toContain("secret harbour");
  expect(text).not.toContain(owner.identity.tenant);
});

it("isolation of tenants leaves a tenant's resources unchanged by all requests of another tenant", async () => {
  expect(await findChanged(owner, ownerIds)).toEqual([]);
});
