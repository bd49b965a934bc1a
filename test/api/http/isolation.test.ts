import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague } from "#test/support/people.ts";

/** Ids of a tenant's resources by resource name. */
type ResourceIds = Record<string, string>;

/** Creates one resource of every kind in a tenant. */
async function seedTenant(owner: Client, secret: string): Promise<ResourceIds> {
  const create = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const { status, body: created, text } = await owner.post(path, body, headers);
    if (status > 202) throw new Error(`${path}: ${status} ${text}`);
    return created;
  };
  const idempotencyHeaders = () => ({ "idempotency-key": randomUUID() });
  const colleague = await createColleague(owner);
  const persona = await create("/v1/personas", { name: "Guide", visibility: "public" });
  const slug = `guide-${randomUUID().slice(0, 8)}`;
  await create(`/v1/personas/${persona.id}/publish`, { slug });
  const apiKey = await create(
    "/v1/tenant/api-keys",
    { description: "k", scopes: ["chat.completions", "models.read"] },
    idempotencyHeaders(),
  );
  const embedKey = await create("/v1/tenant/embed-keys", {
    name: "Site",
    persona_id: persona.id,
    allowed_origins: ["https://www.example.com"],
  });
  const embedHeaders = { "x-embed-key": embedKey.key, origin: "https://www.example.com" };
  const session = await create("/v1/embed/sessions", {}, { ...embedHeaders, ...idempotencyHeaders() });
  const visitorMessage = await owner.fetch(`/v1/embed/sessions/${session.id}/messages`, {
    method: "POST",
    headers: { ...embedHeaders, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ content: "Hello" }),
  });
  const completion = await owner.fetch("/openai/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: slug, messages: [{ role: "user", content: "Hello" }] }),
  });
  const response = await owner.fetch("/openai/v1/responses", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: slug, input: "Hello" }),
  });
  const folder = await create("/v1/folders", { name: "Folder" });
  const conversation = await create("/v1/conversations", { title: "Secret plans", folder_id: folder.id });
  const frames = await owner.chat({ conversation_id: conversation.id, content: "A secret question", tier: "QUICK" });
  const { message_id } = frames[0]?.data ?? {};
  const channel = `channel-${randomUUID()}`;
  await create("/v1/webhooks/register", { channel_id: channel, conversation_id: conversation.id });
  await create(`/v1/webhooks/${channel}/test`, {});
  const [delivery] = (await owner.get(`/v1/webhooks/${channel}/deliveries`)).body.deliveries;
  await create(`/v1/chat/${conversation.id}/share`, { user_id: colleague.identity.user, permission: "READ" });
  const link = await create(`/v1/chat/${conversation.id}/share-link`, { expires_in: "1h" });
  const feedback = await create("/v1/feedback", { message_id, conversation_id: conversation.id, rating: "up" });
  const indexed = await addIndexedDocument(owner, {
    title: "Secret document",
    text: `The secret ${secret} lies in the north.`,
  });
  const data = { type: "tool_execution", action: { operation: "launch", params: {} } };
  return {
    persona: persona.id,
    slug,
    "api-key": apiKey.id,
    "embed-key": embedKey.id,
    session: session.id,
    "visitor-message": ((await visitorMessage.json()) as { message_id: string }).message_id,
    completion: ((await completion.json()) as { id: string }).id,
    response: ((await response.json()) as { id: string }).id,
    folder: folder.id,
    conversation: conversation.id,
    message: message_id,
    channel,
    delivery: delivery.fingerprint,
    colleague: colleague.identity.user,
    link: link.link_id,
    feedback: feedback.id,
    collection: indexed.collection,
    document: indexed.document,
    import: (await create(`/v1/knowledge/collections/${indexed.collection}/imports`, { url: "http://127.0.0.1/" })).id,
    role: (await create("/v1/roles", { name: `role-${randomUUID().slice(0, 8)}`, permissions: ["usage.read"] })).name,
    group: (await create("/v1/groups", { name: "Group", roles: [], member_ids: [colleague.identity.user] })).id,
    template: (await create("/v1/templates", { name: "Template", body: "Say {{what}}" })).id,
    memory: (await create("/v1/memories", { text: "A secret memory" })).id,
    note: (await create("/v1/notes", { title: "Secret note" })).id,
    approval: (await create("/v1/approvals", data)).id,
    export: (await create("/v1/exports", undefined)).export.id,
    deletion: (await create("/v1/data-deletions", { user_id: colleague.identity.user })).id,
  };
}

/** Resources that path parameters identify, by parameter name. Other parameters are looked up by path prefix. */
const resourceByParameter: Record<string, string> = {
  mid: "message",
  message_id: "message",
  link_id: "link",
  user_id: "colleague",
  document_id: "document",
  import_id: "import",
  channel_id: "channel",
  fingerprint: "delivery",
  name: "role",
};
const resourceByPath: readonly (readonly [string, string])[] = [
  ["/v1/groups/", "group"],
  ["/v1/tenant/api-keys/", "api-key"],
  ["/v1/tenant/embed-keys/", "embed-key"],
  ["/v1/embed/sessions/", "session"],
  ["/v1/conversations/", "conversation"],
  ["/v1/chat/", "conversation"],
  ["/v1/folders/", "folder"],
  ["/v1/personas/", "persona"],
  ["/openai/v1/models/", "slug"],
  ["/openai/v1/chat/completions/", "completion"],
  ["/openai/v1/responses/", "response"],
  ["/v1/templates/", "template"],
  ["/v1/feedback/", "feedback"],
  ["/v1/knowledge/collections/", "collection"],
  ["/v1/memories/", "memory"],
  ["/v1/notes/", "note"],
  ["/v1/approvals/", "approval"],
  ["/v1/exports/", "export"],
  ["/v1/data-deletions/", "deletion"],
];

function getResourceName({ path }: Route, parameter: string): string {
  if (path.startsWith("/v1/embed/") && parameter === "message_id") return "visitor-message";
  const name = resourceByParameter[parameter] ?? resourceByPath.find(([prefix]) => path.startsWith(prefix))?.[1];
  if (!name) throw new Error(`${path}: add {${parameter}} to resourceByParameter or resourceByPath`);
  return name;
}

/** Values of path parameters that are positions within a resource and not ids. */
const constantParameters: Readonly<Record<string, string>> = { passage: "0" };

/** Valid request bodies by operation id, with the ids of the resources that they refer to. */
const bodies: Record<string, (ids: ResourceIds) => unknown> = {
  updateGroup: () => ({ name: "Mine" }),
  rotateWebhookSecret: () => ({ overlap_hours: 1 }),
  updateWebhook: () => ({ paths: { text: "mine" } }),
  updateRole: () => ({ description: "Mine" }),
  updateEmbedKey: () => ({ name: "Mine" }),
  rateEmbedMessage: () => ({ rating: "up" }),
  sendEmbedMessage: () => ({ content: "Hello" }),
  updateConversation: () => ({ title: "Mine" }),
  updateMessage: () => ({ content: "Mine" }),
  updateFolder: () => ({ name: "Mine" }),
  updatePersona: () => ({ name: "Mine" }),
  publishPersona: () => ({ slug: "mine" }),
  createGrant: () => ({ user_id: "user", permission: "READ" }),
  createShareLink: () => ({ expires_in: "1h" }),
  renderTemplate: () => ({ variables: { what: "hello" } }),
  updateTemplate: () => ({ name: "Mine" }),
  updateCollection: () => ({ name: "Mine" }),
  createDocument: () => ({ title: "Mine", text: "Mine" }),
  replaceDocument: () => ({ title: "Mine", text: "Mine" }),
  createImport: () => ({ url: "https://example.com/" }),
  createUpload: () => ({ file_name: "mine.pdf", size: 5 }),
  promoteMessage: ({ conversation, message }) => ({ conversation_id: conversation, message_id: message }),
  updateMemory: () => ({ text: "Mine" }),
  updateNote: () => ({ title: "Mine" }),
  decideApproval: () => ({ decision: "approve" }),
  confirmApproval: () => ({ decision: "approve" }),
  exportConversation: () => ({ format: "json" }),
};

/** Bodies of routes without path parameters that refer to existing resources. */
const bodiesWithReferences: readonly (readonly [string, (ids: ResourceIds) => unknown])[] = [
  ["/v1/runtime/chat", ({ conversation }) => ({ conversation_id: conversation, content: "Hello" })],
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
  ({ auth, path }) => path.includes("{") && !["none", "webhook-signature"].includes(auth),
);
const listRoutes = routes.filter(({ auth, path, method }) => auth === "jwt" && method === "GET" && !path.includes("{"));

describe("isolation of tenants", () => {
  const owner = new Client();
  const stranger = new Client(newIdentity());
  let ownerIds: ResourceIds;
  let unknownIds: ResourceIds;
  let credentials: Record<string, Record<string, string>>;

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
    credentials = {
      jwt: stranger.headers,
      "api-key": { authorization: `Bearer ${apiKey.body.key}` },
      "embed-key": { "x-embed-key": embedKey.body.key, origin: "https://www.example.com" },
    };
  });

  function request(route: Route, ids: ResourceIds): Promise<ApiResponse> {
    const path = route.path.replace(
      /\{(\w+)\}/g,
      (_, parameter) => constantParameters[parameter] ?? ids[getResourceName(route, parameter)] ?? "",
    );
    const body = route.body ? bodies[route.id]?.(ids) : undefined;
    if (route.body && body === undefined) throw new Error(`${route.id}: add a valid body to bodies`);
    return new Client(stranger.identity).request(route.method, path, body, {
      ...credentials[route.auth],
      "x-request-id": "same",
    });
  }

  it.each(withTitle(routesWithIds))(
    "%s: returns the same 404 for another tenant's id and an unknown id",
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
  )("POST %s with %s: returns 404 when a field refers to another tenant's resource", async (path, _, body) => {
    const post = (ids: ResourceIds) =>
      stranger.post(path, body(ids), { "x-request-id": "same", accept: "application/json" });
    const [foreignResponse, missingResponse] = [await post(ownerIds), await post(unknownIds)];
    expect([foreignResponse.status, foreignResponse.text]).toEqual([404, missingResponse.text]);
  });

  it.each(withTitle(listRoutes))("%s: lists no resources of another tenant", async (_, route) => {
    const query = route.path.endsWith("/search") ? "?q=secret" : "";
    const { status, text } = await stranger.get(route.path + query);
    expect(status).toBe(200);
    for (const [name, id] of Object.entries(ownerIds)) expect(text, name).not.toContain(id);
    expect(text).not.toContain("secret harbour");
    expect(text).not.toContain(owner.identity.tenant);
  });

  it("leaves another tenant's resources unchanged after all these requests", async () => {
    for (const [path, name] of [
      ["/v1/conversations", "conversation"],
      ["/v1/folders", "folder"],
      ["/v1/personas", "persona"],
      ["/v1/templates", "template"],
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
});
