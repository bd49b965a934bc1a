import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Route } from "#shared/api/define-route.ts";
import { routes } from "#shared/api/routes.ts";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague } from "#test/support/people.ts";

/** What a tenant has, by the name under which it is asked for below. */
type Belongings = Record<string, string>;

/** A tenant with one of everything. */
async function furnish(owner: Client, secret: string): Promise<Belongings> {
  const made = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const { status, body: created, text } = await owner.post(path, body, headers);
    if (status > 202) throw new Error(`${path}: ${status} ${text}`);
    return created;
  };
  const once = () => ({ "idempotency-key": randomUUID() });
  const colleague = await createColleague(owner);
  const persona = await made("/v1/personas", { name: "Guide", visibility: "public" });
  const slug = `guide-${randomUUID().slice(0, 8)}`;
  await made(`/v1/personas/${persona.id}/publish`, { slug });
  const apiKey = await made(
    "/v1/tenant/api-keys",
    { description: "k", scopes: ["chat.completions", "models.read"] },
    once(),
  );
  const embedKey = await made("/v1/tenant/embed-keys", {
    name: "Site",
    persona_id: persona.id,
    allowed_origins: ["https://www.example.com"],
  });
  const embed = { "x-embed-key": embedKey.key, origin: "https://www.example.com" };
  const session = await made("/v1/embed/sessions", {}, { ...embed, ...once() });
  const visitorSaid = await owner.fetch(`/v1/embed/sessions/${session.id}/messages`, {
    method: "POST",
    headers: { ...embed, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ content: "Hello" }),
  });
  const folder = await made("/v1/folders", { name: "Folder" });
  const conversation = await made("/v1/conversations", { title: "Secret plans", folder_id: folder.id });
  const frames = await owner.chat({ conversation_id: conversation.id, content: "A secret question", tier: "QUICK" });
  const { message_id } = frames[0]?.data ?? {};
  const channel = `channel-${randomUUID()}`;
  await made("/v1/webhooks/register", { channel_id: channel, conversation_id: conversation.id });
  await made(`/v1/chat/${conversation.id}/share`, { user_id: colleague.identity.user, permission: "READ" });
  const link = await made(`/v1/chat/${conversation.id}/share-link`, { expires_in: "1h" });
  const feedback = await made("/v1/feedback", { message_id, conversation_id: conversation.id, rating: "up" });
  const known = await addIndexedDocument(owner, {
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
    "visitor-message": ((await visitorSaid.json()) as { message_id: string }).message_id,
    folder: folder.id,
    conversation: conversation.id,
    message: message_id,
    channel,
    colleague: colleague.identity.user,
    link: link.link_id,
    feedback: feedback.id,
    collection: known.collection,
    document: known.document,
    role: (await made("/v1/roles", { name: `role-${randomUUID().slice(0, 8)}`, permissions: ["usage.read"] })).name,
    group: (await made("/v1/groups", { name: "Group", roles: [], member_ids: [colleague.identity.user] })).id,
    template: (await made("/v1/templates", { name: "Template", body: "Say {{what}}" })).id,
    memory: (await made("/v1/memories", { text: "A secret memory" })).id,
    note: (await made("/v1/notes", { title: "Secret note" })).id,
    approval: (await made("/v1/approvals", data)).id,
    export: (await made("/v1/exports", undefined)).export.id,
    deletion: (await made("/v1/data-deletions", { user_id: colleague.identity.user })).id,
  };
}

/** What a parameter of a path stands for; by the beginning of the path where its name does not say it. */
const byName: Record<string, string> = {
  mid: "message",
  message_id: "message",
  link_id: "link",
  user_id: "colleague",
  document_id: "document",
  channel_id: "channel",
  name: "role",
};
const byPath: readonly (readonly [string, string])[] = [
  ["/v1/groups/", "group"],
  ["/v1/tenant/api-keys/", "api-key"],
  ["/v1/tenant/embed-keys/", "embed-key"],
  ["/v1/embed/sessions/", "session"],
  ["/v1/conversations/", "conversation"],
  ["/v1/chat/", "conversation"],
  ["/v1/folders/", "folder"],
  ["/v1/personas/", "persona"],
  ["/openai/v1/models/", "slug"],
  ["/v1/templates/", "template"],
  ["/v1/feedback/", "feedback"],
  ["/v1/knowledge/collections/", "collection"],
  ["/v1/memories/", "memory"],
  ["/v1/notes/", "note"],
  ["/v1/approvals/", "approval"],
  ["/v1/exports/", "export"],
  ["/v1/data-deletions/", "deletion"],
];

function meaningOf({ path }: Route, parameter: string): string {
  if (path.startsWith("/v1/embed/") && parameter === "message_id") return "visitor-message";
  const meaning = byName[parameter] ?? byPath.find(([beginning]) => path.startsWith(beginning))?.[1];
  if (!meaning) throw new Error(`${path}: say above what {${parameter}} is`);
  return meaning;
}

/** Bodies that would do, were the resource the caller's; `belongings` are whose ids stand in them. */
const bodies: Record<string, (belongings: Belongings) => unknown> = {
  updateGroup: () => ({ name: "Mine" }),
  updateRole: () => ({ description: "Mine" }),
  updateEmbedKey: () => ({ name: "Mine" }),
  sendEmbedMessage: () => ({ content: "Hello" }),
  updateConversation: () => ({ title: "Mine" }),
  updateMessage: () => ({ content: "Mine" }),
  updateFolder: () => ({ name: "Mine" }),
  updatePersona: () => ({ name: "Mine" }),
  publishPersona: () => ({ slug: "mine" }),
  createGrant: () => ({ user_id: "somebody", permission: "READ" }),
  createShareLink: () => ({ expires_in: "1h" }),
  renderTemplate: () => ({ variables: { what: "hello" } }),
  updateTemplate: () => ({ name: "Mine" }),
  updateCollection: () => ({ name: "Mine" }),
  createDocument: () => ({ title: "Mine", text: "Mine" }),
  promoteMessage: ({ conversation, message }) => ({ conversation_id: conversation, message_id: message }),
  updateMemory: () => ({ text: "Mine" }),
  updateNote: () => ({ title: "Mine" }),
  decideApproval: () => ({ decision: "approve" }),
  exportConversation: () => ({ format: "json" }),
};

/** Bodies of routes without parameters that name what belongs to somebody. */
const naming: readonly (readonly [string, (belongings: Belongings) => unknown])[] = [
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

const named = (chosen: readonly Route[]) => chosen.map((route) => [`${route.method} ${route.path}`, route] as const);
const withIds = routes.filter(({ auth, path }) => path.includes("{") && !["none", "webhook-signature"].includes(auth));
const lists = routes.filter(({ auth, path, method }) => auth === "jwt" && method === "GET" && !path.includes("{"));

describe("another tenant", () => {
  const owner = new Client();
  const stranger = new Client(newIdentity());
  let theirs: Belongings;
  let unknown: Belongings;
  let credentials: Record<string, Record<string, string>>;

  beforeAll(async () => {
    theirs = await furnish(owner, "harbour");
    unknown = Object.fromEntries(
      Object.keys(theirs).map((name) => [name, ["role", "slug"].includes(name) ? "none-such" : randomUUID()]),
    );
    // An id of a session proves itself; one that never was has the form of one.
    unknown.session = String(theirs.session).replace(/[0-9a-f]{4}$/, (end) => (end === "0000" ? "1111" : "0000"));
    const own = await furnish(stranger, "forest");
    const [apiKey, embedKey] = await Promise.all([
      stranger.post(
        "/v1/tenant/api-keys",
        { description: "k", scopes: ["chat.completions", "models.read"] },
        { "idempotency-key": "k" },
      ),
      stranger.post("/v1/tenant/embed-keys", {
        name: "Site",
        persona_id: own.persona,
        allowed_origins: ["https://www.example.com"],
      }),
    ]);
    credentials = {
      jwt: stranger.headers,
      "api-key": { authorization: `Bearer ${apiKey.body.key}` },
      "embed-key": { "x-embed-key": embedKey.body.key, origin: "https://www.example.com" },
    };
  });

  function ask(route: Route, belongings: Belongings): Promise<ApiResponse> {
    const path = route.path.replace(/\{(\w+)\}/g, (_, parameter) => belongings[meaningOf(route, parameter)] ?? "");
    const body = route.body ? bodies[route.id]?.(belongings) : undefined;
    if (route.body && body === undefined) throw new Error(`${route.id}: say above which body would do`);
    return new Client(stranger.identity).request(route.method, path, body, {
      ...credentials[route.auth],
      "x-request-id": "same",
    });
  }

  it.each(named(withIds))("%s: what is somebody else's is as unknown as what is nobody's", async (_, route) => {
    const [real, none] = [await ask(route, theirs), await ask(route, unknown)];
    expect([real.status, none.status]).toEqual([404, 404]);
    // The models of OpenAI's surface are named in its message.
    const without = ({ text }: ApiResponse, { slug }: Belongings) => text.replaceAll(String(slug), "…");
    expect(without(real, theirs)).toBe(without(none, unknown));
  });

  it.each(
    naming.map(
      ([path, body]) => [path, Object.keys(body(new Proxy({}, { get: () => "x" })) as object).join(), body] as const,
    ),
  )("POST %s (%s): neither can it be named", async (path, _, body) => {
    const post = (belongings: Belongings) =>
      stranger.post(path, body(belongings), { "x-request-id": "same", accept: "application/json" });
    const [real, none] = [await post(theirs), await post(unknown)];
    expect([real.status, real.text]).toEqual([404, none.text]);
  });

  it.each(named(lists))("%s: shows nothing of it", async (_, route) => {
    const query = route.path.endsWith("/search") ? "?q=secret" : "";
    const { status, text } = await stranger.get(route.path + query);
    expect(status).toBe(200);
    for (const [name, id] of Object.entries(theirs)) expect(text, name).not.toContain(id);
    expect(text).not.toContain("secret harbour");
    expect(text).not.toContain(owner.identity.tenant);
  });

  it("leaves all of it as it was", async () => {
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
      const { status, text } = await owner.get(`${path}/${theirs[name]}`);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toContain("Mine");
    }
  });
});
