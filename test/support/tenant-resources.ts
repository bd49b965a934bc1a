import { randomUUID } from "node:crypto";
import type { Route } from "#shared/api/define-route.ts";
import { Messenger } from "#shared/api/messengers/event-ref.ts";
import { attach } from "#test/support/chat/attachments.ts";
import type { Client } from "#test/support/client.ts";
import { raiseIncident } from "#test/support/investigations/raise-incident.ts";
import { addIndexedDocument } from "#test/support/knowledge/add-indexed-document.ts";
import { createColleague } from "#test/support/people.ts";
import { type OidcServer, startOidcServer } from "#test/support/tenancy/oidc-server.ts";
import { waitForQuestion } from "./embed/wait-for-question.ts";

let oidcServer: Promise<OidcServer> | undefined;

/** Returns the identity provider of the tenants that this file creates, each with its own audience. */
export function getOidcServer(): Promise<OidcServer> {
  oidcServer ??= startOidcServer("seeded");
  return oidcServer;
}

/** Ids of a tenant's resources by resource name. */
export type ResourceIds = Record<string, string>;

/** Returns an id that does not exist for each kind of resource. */
export function toUnknownIds(ids: ResourceIds): ResourceIds {
  const names = Object.keys(ids).map((name) => [name, ["role", "slug"].includes(name) ? "none-such" : randomUUID()]);
  // Session ids are signed, so the unknown one is a valid id with a changed end.
  const session = String(ids.session).replace(/[0-9a-f]{4}$/, (end) => (end === "0000" ? "1111" : "0000"));
  return { ...Object.fromEntries(names), session };
}

/** Creates one resource of every kind in a tenant. */
export async function seedTenant(owner: Client, secret: string): Promise<ResourceIds> {
  const provider = await getOidcServer();
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
    attachments: true,
    handover: {},
  });
  const embedHeaders = { "x-embed-key": embedKey.key, origin: "https://www.example.com" };
  const session = await create("/v1/embed/sessions", {}, { ...embedHeaders, ...idempotencyHeaders() });
  const visitorMessage = await owner.fetch(`/v1/embed/sessions/${session.id}/messages`, {
    method: "POST",
    headers: { ...embedHeaders, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ content: "Where is the secret harbor?" }),
  });
  const { message_id: visitorMessageId } = (await visitorMessage.json()) as { message_id: string };
  await create(
    `/v1/embed/sessions/${session.id}/messages/${visitorMessageId}/feedback`,
    { rating: "down" },
    embedHeaders,
  );
  const keyPath = `/v1/tenant/embed-keys/${embedKey.id}`;
  const { sessions: visitorSessions } = (await owner.get(`${keyPath}/sessions`)).body;
  await owner.fetch(`/v1/embed/sessions/${session.id}/handover`, {
    method: "PUT",
    headers: { ...embedHeaders, "content-type": "application/json" },
    body: "{}",
  });
  const visitorQuestion = await waitForQuestion(owner, keyPath);
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
  const callOpenai = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${apiKey.key}`, "content-type": "application/json" };
    const reply = await owner.fetch(path, { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) });
    return (await reply.json()) as { id: string; data: { id: string }[] };
  };
  const items = [{ role: "user", content: "A secret question" }];
  const openaiConversation = await callOpenai("/openai/v1/conversations", { items });
  const openaiItems = await callOpenai(`/openai/v1/conversations/${openaiConversation.id}/items`);
  const folder = await create("/v1/folders", { name: "Folder" });
  const conversation = await create("/v1/conversations", { title: "Secret plans", folder_id: folder.id });
  const frames = await owner.chat({ conversation_id: conversation.id, content: "A secret question", tier: "QUICK" });
  const { message_id } = frames[0]?.data ?? {};
  const channel = `channel-${randomUUID()}`;
  const registration = { channel_id: channel, conversation_id: conversation.id };
  const registered = await create("/v1/webhooks/register", registration);
  await create(`/v1/webhooks/${channel}/test`, {});
  const [delivery] = (await owner.get(`/v1/webhooks/${channel}/deliveries`)).body.deliveries;
  const investigation = await raiseIncident(owner, channel, registered.secret, persona.id);
  await create(`/v1/chat/${conversation.id}/share`, { user_id: colleague.identity.user, permission: "READ" });
  const link = await create(`/v1/chat/${conversation.id}/share-link`, { expires_in: "1h" });
  const feedback = await create("/v1/feedback", { message_id, conversation_id: conversation.id, rating: "up" });
  const indexed = await addIndexedDocument(owner, {
    title: "Secret document",
    text: `The secret ${secret} lies in the north.`,
  });
  const eventEndpoint = await create("/v1/event-endpoints", {
    url: "http://127.0.0.1/secret-path",
    types: ["run.failed"],
  });
  const slackWorkspace = await create("/v1/messengers/slack/workspaces", { name: "Secret workspace" });
  const teamsWorkspace = await create("/v1/messengers/teams/workspaces", { name: "Secret workspace" });
  const eventDelivery = await create(`/v1/event-endpoints/${eventEndpoint.id}/test`, {});
  const testSet = await create("/v1/test-sets", { persona_id: persona.id, name: "Secret set" });
  const testItems = await create(`/v1/test-sets/${testSet.id}/items`, { items: [{ question: "A secret question" }] });
  const testRun = await create("/v1/test-runs", { set_id: testSet.id });
  const data = { type: "tool_execution", action: { operation: "launch", params: {} } };
  return {
    persona: persona.id,
    "test-set": testSet.id,
    "test-item": testItems.added[0],
    "test-run": testRun.id,
    slug,
    "api-key": apiKey.id,
    "embed-key": embedKey.id,
    session: session.id,
    "visitor-session": visitorSessions[0].id,
    "visitor-question": visitorQuestion.id,
    "visitor-message": visitorMessageId,
    completion: ((await completion.json()) as { id: string }).id,
    response: ((await response.json()) as { id: string }).id,
    "openai-conversation": openaiConversation.id,
    item: openaiItems.data[0]?.id ?? "",
    folder: folder.id,
    conversation: conversation.id,
    message: message_id,
    attachment: (await attach(owner, conversation.id, "Secret.txt", `The secret ${secret} is attached.`)).id,
    channel,
    delivery: delivery.fingerprint,
    investigation,
    colleague: colleague.identity.user,
    link: link.link_id,
    feedback: feedback.id,
    collection: indexed.collection,
    document: indexed.document,
    import: (await create(`/v1/knowledge/collections/${indexed.collection}/imports`, { url: "http://127.0.0.1/" })).id,
    role: (await create("/v1/roles", { name: `role-${randomUUID().slice(0, 8)}`, permissions: ["usage.read"] })).name,
    group: (await create("/v1/groups", { name: "Group", roles: [], member_ids: [colleague.identity.user] })).id,
    invitation: (await create("/v1/tenant/invitations", {})).id,
    issuer: (
      await create("/v1/tenant/issuers", {
        issuer: provider.issuer,
        audience: owner.identity.tenant,
        claims: { roles: "roles" },
      })
    ).id,
    "scim-group": (await create("/v1/groups", { name: "Provisioned" })).id,
    // Callers with few permissions can deactivate a user who has none.
    "scim-user": (await createColleague(owner, "provisioned")).identity.user,
    "tool-server": (
      await create("/v1/tools/servers", { name: "Secret server", url: "https://tools.example.com/mcp", enabled: false })
    ).id,
    "language-model": (await create("/v1/models", { name: `model-${randomUUID()}`, model_id: "demo" })).name,
    "event-endpoint": eventEndpoint.id,
    "slack-workspace": slackWorkspace.id,
    "slack-link": `${slackWorkspace.id}.U1`,
    "teams-workspace": teamsWorkspace.id,
    "teams-link": `${teamsWorkspace.id}.${teamsWorkspace.id}`,
    "event-delivery": encodeURIComponent(eventDelivery.id),
    budget: (await create("/v1/budgets", { name: "Secret budget", unit: "usd", limit: 1_000, window: "month" })).id,
    template: (await create("/v1/templates", { name: "Template", body: "Say {{what}}" })).id,
    memory: (await create("/v1/memories", { text: "A secret memory" })).id,
    note: (await create("/v1/notes", { title: "Secret note" })).id,
    schedule: (
      await create("/v1/schedules", {
        name: "Secret schedule",
        question: "A secret question",
        cron: "0 9 * * *",
        time_zone: "UTC",
      })
    ).id,
    approval: (await create("/v1/approvals", data)).id,
    export: (await create("/v1/exports", undefined)).export.id,
    deletion: (await create("/v1/data-deletions", { user_id: colleague.identity.user })).id,
  };
}

/** Resources that path parameters identify, by parameter name. Other parameters are looked up by path prefix. */
const resourceByParameter: Record<string, string> = {
  mid: "message",
  item_id: "item",
  test_item_id: "test-item",
  message_id: "message",
  link_id: "link",
  user_id: "colleague",
  attachment_id: "attachment",
  model: "language-model",
  document_id: "document",
  import_id: "import",
  channel_id: "channel",
  fingerprint: "delivery",
  delivery_id: "event-delivery",
  session_id: "visitor-session",
  question_id: "visitor-question",
  name: "role",
};
const resourceByPath: readonly (readonly [string, string])[] = [
  ["/v1/groups/", "group"],
  ["/scim/v2/Groups/", "scim-group"],
  ["/v1/tenant/issuers/", "issuer"],
  ["/v1/tenant/invitations/", "invitation"],
  ["/v1/tenant/api-keys/", "api-key"],
  ["/v1/tenant/embed-keys/", "embed-key"],
  ["/v1/embed/sessions/", "session"],
  ["/v1/handovers/", "visitor-session"],
  ["/v1/conversations/", "conversation"],
  ["/v1/chat/", "conversation"],
  ["/v1/folders/", "folder"],
  ["/v1/personas/", "persona"],
  ["/v1/test-sets/", "test-set"],
  ["/v1/test-runs/", "test-run"],
  ["/v1/tools/servers/", "tool-server"],
  ["/v1/event-endpoints/", "event-endpoint"],
  ["/v1/messengers/slack/workspaces/", "slack-workspace"],
  ["/v1/messengers/teams/workspaces/", "teams-workspace"],
  ["/v1/messengers/slack/links/", "slack-link"],
  ["/v1/messengers/teams/links/", "teams-link"],
  ["/v1/budgets/", "budget"],
  ["/v1/investigations/", "investigation"],
  ["/openai/v1/models/", "slug"],
  ["/openai/v1/chat/completions/", "completion"],
  ["/openai/v1/responses/", "response"],
  ["/openai/v1/conversations/", "openai-conversation"],
  ["/v1/templates/", "template"],
  ["/v1/feedback/", "feedback"],
  ["/v1/knowledge/collections/", "collection"],
  ["/v1/memories/", "memory"],
  ["/v1/notes/", "note"],
  ["/v1/schedules/", "schedule"],
  ["/v1/approvals/", "approval"],
  ["/v1/exports/", "export"],
  ["/v1/data-deletions/", "deletion"],
];

function getResourceName({ path }: Route, parameter: string): string {
  if (path.startsWith("/scim/v2/Users/")) return "scim-user";
  if (path.startsWith("/v1/embed/") && parameter === "message_id") return "visitor-message";
  const name = resourceByParameter[parameter] ?? resourceByPath.find(([prefix]) => path.startsWith(prefix))?.[1];
  if (!name) throw new Error(`${path}: add {${parameter}} to resourceByParameter or resourceByPath`);
  return name;
}

/** Values of path parameters that are no ids, such as positions within a resource. */
const constantParameters: Readonly<Record<string, string>> = { passage: "0", messenger: "slack", version: "1" };

/** Valid request bodies by operation id, with the ids of the resources that they refer to. */
const bodies: Record<string, (ids: ResourceIds) => unknown> = {
  createIncidentUpdate: () => ({ action: "acknowledge" }),
  mergeInvestigation: () => ({ into: null }),
  silenceInvestigation: () => ({ minutes: 60 }),
  updateOpenaiConversation: () => ({ metadata: {} }),
  createConversationItems: () => ({ items: [{ role: "user", content: "Mine" }] }),
  updateGroup: () => ({ name: "Mine" }),
  replaceScimUser: () => ({ userName: "mine" }),
  updateScimUser: () => ({ Operations: [{ op: "replace", path: "title", value: "Mine" }] }),
  replaceScimGroup: () => ({ displayName: "Mine" }),
  updateScimGroup: () => ({ Operations: [{ op: "replace", path: "displayName", value: "Mine" }] }),
  updateUser: () => ({ is_active: true }),
  rotateWebhookSecret: () => ({ overlap_hours: 1 }),
  updateWebhook: () => ({ paths: { text: "mine" } }),
  updateRole: () => ({ description: "Mine" }),
  updateEmbedKey: () => ({ name: "Mine" }),
  updateVisitorQuestion: () => ({ status: "answered" }),
  rateEmbedMessage: () => ({ rating: "up" }),
  confirmEmbedToolCall: () => ({ decision: "approve" }),
  requestEmbedHandover: () => ({}),
  requestEmbedTranscript: () => ({ email: "mine@example.com" }),
  updateHandover: () => ({ note: "Mine" }),
  sendHandoverMessage: () => ({ content: "Mine" }),
  sendEmbedMessage: () => ({ content: "Hello" }),
  updateConversation: () => ({ title: "Mine" }),
  importMessages: () => ({ messages: [{ role: "user", text: "Hi" }] }),
  updateMessage: () => ({ content: "Mine" }),
  updateFolder: () => ({ name: "Mine" }),
  updatePersona: () => ({ name: "Mine" }),
  createLanguageModel: () => ({ name: `mine-${randomUUID()}`, model_id: "demo" }),
  updateLanguageModel: () => ({ model_id: "mine" }),
  updateToolServer: () => ({ name: "Mine" }),
  startToolSignIn: () => ({}),
  callToolServer: () => ({ tool: "x" }),
  updateBudget: () => ({ name: "Mine" }),
  updateEventEndpoint: () => ({ description: "Taken" }),
  updateMessengerWorkspace: () => ({ name: "Taken" }),
  publishPersona: () => ({ slug: "mine" }),
  updatePersonaGate: (ids) => ({ set_id: ids["test-set"], min_score: 1 }),
  publishPersonaVersion: () => ({ percent: 50 }),
  restorePersonaVersion: () => ({ note: "Mine" }),
  updateTestSet: () => ({ name: "Mine" }),
  addTestItems: () => ({ items: [{ question: "Mine" }] }),
  updateTestItem: () => ({ note: "Mine" }),
  createGrant: () => ({ user_id: "user", permission: "READ" }),
  createShareLink: () => ({ expires_in: "1h" }),
  renderTemplate: () => ({ variables: { what: "hello" } }),
  updateTemplate: () => ({ name: "Mine" }),
  updateCollection: () => ({ name: "Mine" }),
  createDocument: () => ({ title: "Mine", text: "Mine" }),
  replaceDocument: () => ({ title: "Mine", text: "Mine" }),
  updateDocument: () => ({ readers: null }),
  syncCollection: () => ({ entries: [], is_last: true }),
  stageSyncEntries: () => ({ sync_id: "mine", entries: [{ path: "mine.txt", hash: "0".repeat(64), size: 4 }] }),
  completeSync: () => ({ sync_id: "mine" }),
  createImport: () => ({ url: "https://example.com/" }),
  createAttachment: () => ({ file_name: "mine.pdf", size: 5 }),
  createEmbedAttachment: () => ({ file_name: "mine.pdf", size: 5 }),
  createUpload: () => ({ file_name: "mine.pdf", size: 5 }),
  promoteMessage: ({ conversation, message }) => ({ conversation_id: conversation, message_id: message }),
  updateMemory: () => ({ text: "Mine" }),
  updateNote: () => ({ title: "Mine" }),
  updateSchedule: () => ({ name: "Mine" }),
  decideApproval: () => ({ decision: "approve" }),
  answerApproval: () => ({ answers: {} }),
  confirmApproval: () => ({ decision: "approve" }),
  exportConversation: () => ({ format: "json" }),
};

/** Returns a route whose path names a messenger once for each messenger, and other routes as they are. */
export const forEachMessenger = (routes: readonly Route[]): Route[] =>
  routes.flatMap((route) =>
    route.path.includes("{messenger}")
      ? Messenger.options.map((name) => ({ ...route, path: route.path.replace("{messenger}", name) }))
      : [route],
  );

/** Returns the path and a valid body of a route for the resources of a tenant. */
export function toRequest(route: Route, ids: ResourceIds): { readonly path: string; readonly body: unknown } {
  const path = route.path.replace(
    /\{(\w+)\}/g,
    (_, parameter) => constantParameters[parameter] ?? ids[getResourceName(route, parameter)] ?? "",
  );
  const body = route.body ? bodies[route.id]?.(ids) : undefined;
  if (route.body && body === undefined) throw new Error(`${route.id}: add a valid body to bodies`);
  return { path, body };
}

/** Returns what the owner no longer reads, or reads with a text from the bodies of `toRequest()`. */
export async function findChanged(owner: Client, ids: ResourceIds): Promise<unknown[]> {
  const changed: unknown[] = [];
  for (const [path, name] of [
    ["/v1/conversations", "conversation"],
    ["/v1/folders", "folder"],
    ["/v1/personas", "persona"],
    ["/v1/test-sets", "test-set"],
    ["/v1/templates", "template"],
    ["/v1/tools/servers", "tool-server"],
    ["/v1/event-endpoints", "event-endpoint"],
    ["/v1/messengers/slack/workspaces", "slack-workspace"],
    ["/v1/messengers/teams/workspaces", "teams-workspace"],
    ["/v1/budgets", "budget"],
    ["/v1/memories", "memory"],
    ["/v1/notes", "note"],
    ["/v1/knowledge/collections", "collection"],
    ["/v1/approvals", "approval"],
    ["/v1/feedback", "feedback"],
  ] as const) {
    const { status, text } = await owner.get(`${path}/${ids[name]}`);
    if (status !== 200 || text.includes("Mine")) changed.push([path, status, text]);
  }
  return changed;
}
