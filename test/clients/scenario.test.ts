import { afterAll, expect, inject, it, vi } from "vitest";
import { type ChatEvent, createSwitchboard, isProblem, type Switchboard } from "#shared/client/index.ts";
import { newIdentity, type TestIdentity } from "#test/support/client.ts";

const toClient = ({ tenant, user, roles = "" }: TestIdentity): Switchboard =>
  createSwitchboard({
    baseUrl: inject("baseUrl"),
    headers: { "x-tenant-id": tenant, "x-user-id": user, "x-user-roles": roles },
  });

const owner = newIdentity();
const colleague = { ...newIdentity("member"), tenant: owner.tenant };
const switchboard = toClient(owner);
const reader = toClient(colleague);

/** Stream processors update usage, audit trail and search index within seconds. */
const eventually = <Result>(check: () => Promise<Result>): Promise<Result> =>
  vi.waitFor(check, { timeout: 180_000, interval: 200 });

const textOf = (events: readonly ChatEvent[]): string =>
  events.map((event) => (event.type === "assistant_message" && !event.data.final ? event.data.content : "")).join("");

/** Returns the code of the problem that a request is rejected with. */
const rejectionOf = (request: Promise<unknown>): Promise<unknown> =>
  request.then(
    () => "no rejection",
    (error) => (isProblem(error) ? error.code : error),
  );

let conversation = "";
let question = "";
let answer = "";
let lastEventId = "";
let folder = "";
let persona = "";
let collection = "";
let document = "";
let steps = 0;

const conversationPath = () => ({ params: { path: { id: conversation } } });
const listMessages = async () =>
  (await switchboard.GET("/v1/conversations/{id}/messages", conversationPath())).messages;

const step = (title: string, run: () => Promise<void>) => {
  steps += 1;
  it(`scenario with the typed client ${steps}. ${title}`, run);
};

step("reads the caller's identity", async () => {
  const me = await switchboard.GET("/v1/me");
  expect(me).toMatchObject({
    user_id: owner.user,
    tenant_id: owner.tenant,
    roles: ["admin"],
    auth_provider: "local",
  });
});

step("creates a conversation", async () => {
  const created = await switchboard.POST("/v1/conversations", { body: { title: "Trip", tier: "QUICK" } });
  expect(created).toMatchObject({ title: "Trip", tier: "QUICK", access: "owner", message_count: 0, pinned: false });
  conversation = created.id;
});

step("lists conversations in pages", async () => {
  const other = await switchboard.POST("/v1/conversations", { body: { title: "Another" } });
  const ids: string[] = [];
  for await (const { id } of switchboard.list("/v1/conversations", { params: { query: { limit: 1 } } })) ids.push(id);
  expect(ids).toEqual([other.id, conversation]);
});

step("renames and pins the conversation", async () => {
  const body = { title: "Trip to Lisbon", pinned: true };
  expect(await switchboard.PATCH("/v1/conversations/{id}", { ...conversationPath(), body })).toMatchObject(body);
  const { conversations } = await switchboard.GET("/v1/conversations", { params: { query: { pinned: true } } });
  expect(conversations.map(({ id }) => id)).toEqual([conversation]);
});

step("streams a reply", async () => {
  const content = "What can you do?";
  const events = await Array.fromAsync(switchboard.chat({ conversation_id: conversation, content, tier: "QUICK" }));
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["metadata", "done"]);
  expect(textOf(events)).not.toBe("");
  lastEventId = events.at(-1)?.id ?? "";
});

step("reads the history", async () => {
  const messages = await listMessages();
  expect(messages.map(({ role, status }) => [role, status])).toEqual([
    ["user", "complete"],
    ["assistant", "complete"],
  ]);
  [question = "", answer = ""] = messages.map(({ message_id }) => message_id);
  expect(lastEventId.startsWith(`${answer}:`)).toBe(true);
});

step("replays the reply", async () => {
  const events = await Array.fromAsync(switchboard.followChat({ messageId: answer }));
  expect(events.at(-1)).toMatchObject({ id: lastEventId, type: "done", data: { message_id: answer } });
});

step("edits the question and reads its revision", async () => {
  const params = { path: { id: conversation, mid: question } };
  const body = { content: "What can you do for a traveler?" };
  const edited = await switchboard.PATCH("/v1/conversations/{id}/messages/{mid}", { params, body });
  expect(edited).toMatchObject({ content: [{ type: "text", text: body.content }], edited_at: expect.any(String) });
  const { revisions } = await switchboard.GET("/v1/conversations/{id}/messages/{mid}/revisions", { params });
  expect(revisions).toMatchObject([{ content: [{ text: "What can you do?" }], replaced_by: owner.user }]);
});

step("regenerates the reply", async () => {
  const request = { conversation_id: conversation, regenerate_message_id: answer };
  const events = await Array.fromAsync(switchboard.chat(request));
  const last = events.at(-1);
  expect(last).toMatchObject({ type: "done", data: { message_id: expect.any(String) } });
  const messages = await listMessages();
  expect(messages.map(({ message_id }) => message_id)).toContain(last?.type === "done" && last.data.message_id);
  answer = messages.at(-1)?.message_id ?? "";
});

step("files the conversation in a folder", async () => {
  const created = await switchboard.POST("/v1/folders", { body: { name: "Travel" } });
  expect(created).toMatchObject({ name: "Travel", parent_id: null, conversation_count: 0 });
  folder = created.id;
  await switchboard.PATCH("/v1/conversations/{id}", { ...conversationPath(), body: { folder_id: folder } });
  const filed = await switchboard.GET("/v1/folders/{id}", { params: { path: { id: folder } } });
  expect(filed.conversation_count).toBe(1);
});

step("renames the folder and lists its conversations", async () => {
  const params = { path: { id: folder } };
  const renamed = await switchboard.PATCH("/v1/folders/{id}", { params, body: { name: "Journeys" } });
  expect(renamed.name).toBe("Journeys");
  const query = { folder_id: folder };
  const { conversations } = await switchboard.GET("/v1/conversations", { params: { query } });
  expect(conversations.map(({ id }) => id)).toEqual([conversation]);
});

step("shares the conversation with a colleague", async () => {
  expect(await rejectionOf(reader.GET("/v1/conversations/{id}", conversationPath()))).toBe("not_found");
  const body = { user_id: colleague.user, permission: "READ" } as const;
  expect(await switchboard.POST("/v1/chat/{id}/share", { ...conversationPath(), body })).toMatchObject(body);
  expect((await reader.GET("/v1/conversations/{id}", conversationPath())).access).toBe("READ");
  expect(await rejectionOf(reader.DELETE("/v1/conversations/{id}", conversationPath()))).toBe("forbidden");
});

step("shares the conversation by a link", async () => {
  const link = await switchboard.POST("/v1/chat/{id}/share-link", {
    ...conversationPath(),
    body: { expires_in: "1h" },
  });
  if (!("token" in link)) throw new Error("The link requires approval");
  const shared = await createSwitchboard({ baseUrl: inject("baseUrl") }).GET("/v1/shared/{token}", {
    params: { path: { token: link.token } },
  });
  expect(shared.title).toBe("Trip to Lisbon");
  expect(shared.messages.length).toBeGreaterThanOrEqual(2);
});

step("rates the reply", async () => {
  const body = { message_id: answer, conversation_id: conversation, rating: "up", comment: "Helpful" } as const;
  const { id } = await switchboard.POST("/v1/feedback", { body });
  const feedback = await switchboard.GET("/v1/feedback/{id}", { params: { path: { id } } });
  expect(feedback).toMatchObject({ ...body, user_id: owner.user });
});

step("creates a persona", async () => {
  const body = { name: "Guide", instructions: "Answer in one sentence.", visibility: "org" } as const;
  const created = await switchboard.POST("/v1/personas", { body });
  expect(created).toMatchObject({ ...body, version: 1, endpoint: null, owner_id: owner.user });
  persona = created.id;
});

step("publishes the persona", async () => {
  const params = { path: { id: persona } };
  const published = await switchboard.POST("/v1/personas/{id}/publish", { params, body: { slug: "guide" } });
  expect(published.endpoint).toMatchObject({ slug: "guide", enabled: true, version: 1 });
  expect(await switchboard.DELETE("/v1/personas/{id}/publish", { params })).toBeUndefined();
  expect((await switchboard.GET("/v1/personas/{id}", { params })).endpoint).toBeNull();
});

step("creates and renders a template", async () => {
  const body = { name: "Packing list", body: "What should I pack for {{city}}?" };
  const { id, variables } = await switchboard.POST("/v1/templates", { body });
  expect(variables).toEqual([{ name: "city", required: true, default: null }]);
  const render = { params: { path: { id } }, body: { variables: { city: "Lisbon" } } };
  const { text } = await switchboard.POST("/v1/templates/{id}/render", render);
  expect(text).toBe("What should I pack for Lisbon?");
});

step("remembers a preference", async () => {
  const body = { text: "Prefers trains to planes", category: "preference" } as const;
  const { id } = await switchboard.POST("/v1/memories", { body });
  const query = { category: "preference" } as const;
  const { memories } = await switchboard.GET("/v1/memories", { params: { query } });
  expect(memories).toMatchObject([{ ...body, id, scope: "user", scope_id: owner.user, status: "active" }]);
});

step("writes and finds a note", async () => {
  const body = { title: "Tickets", body: "Booked for the morning", tags: ["travel"], conversation_id: conversation };
  const { id } = await switchboard.POST("/v1/notes", { body });
  const { notes } = await switchboard.GET("/v1/notes", { params: { query: { q: "morning" } } });
  expect(notes).toMatchObject([{ ...body, id, pinned: false }]);
});

step("creates a collection", async () => {
  const body = { name: "City guides", readers: ["tenant"] };
  const created = await switchboard.POST("/v1/knowledge/collections", { body });
  expect(created).toMatchObject({ ...body, document_count: 0, owner_id: owner.user });
  collection = created.id;
});

step("adds a document", async () => {
  const created = await switchboard.POST("/v1/knowledge/collections/{id}/documents", {
    params: { path: { id: collection } },
    body: {
      title: "Lisbon",
      text: "# Trams\n\nThe yellow tram 28 climbs from Martim Moniz to Campo de Ourique.",
      media_type: "text/markdown",
      metadata: { country: "pt" },
    },
  });
  if (!("id" in created)) throw new Error("Expected one document");
  expect(created).toMatchObject({ title: "Lisbon", collection_id: collection, metadata: { country: "pt" } });
  document = created.id;
});

step("waits until the document is indexed", async () => {
  const params = { path: { id: collection, document_id: document } };
  const indexed = await eventually(async () => {
    const current = await switchboard.GET("/v1/knowledge/collections/{id}/documents/{document_id}", { params });
    expect(current.status).toBe("ready");
    return current;
  });
  expect(indexed).toMatchObject({ indexed_version: 1, progress: 1, failure: null, chunk_count: 1 });
});

step("searches the collection", async () => {
  const query = { q: "yellow tram", "metadata.country": "pt", limit: 5 };
  const { results } = await switchboard.GET("/v1/knowledge/search", { params: { query } });
  expect(results).toMatchObject([{ document_id: document, passage: 0, collection_id: collection, title: "Lisbon" }]);
  const elsewhere = { ...query, "metadata.country": "es" };
  expect((await switchboard.GET("/v1/knowledge/search", { params: { query: elsewhere } })).results).toEqual([]);
});

step("reads the passage that a reply cites", async () => {
  const { id } = await switchboard.POST("/v1/conversations", { body: { title: "Trams" } });
  const content = "Where does the yellow tram 28 climb from?";
  const events = await Array.fromAsync(switchboard.chat({ conversation_id: id, content }));
  const blocks = events.flatMap((event) =>
    event.type === "assistant_message" && event.data.final ? event.data.content : [],
  );
  const citation = blocks.find(({ type }) => type === "citation");
  if (citation?.type !== "citation") throw new Error("The reply has no citation");
  const path = { id: collection, document_id: String(citation.document_id), passage: String(citation.passage) };
  const passage = await switchboard.GET("/v1/knowledge/collections/{id}/documents/{document_id}/passages/{passage}", {
    params: { path },
  });
  expect(passage).toMatchObject({ document_id: document, title: "Lisbon", passage: 0, passage_count: 1 });
  expect(passage.text).toContain(citation.quote);
});

step("reads the policy", async () => {
  expect(await reader.GET("/v1/policy")).toMatchObject({ version: 0, updated_by: null, export: { allowed: true } });
});

step("reports usage", async () => {
  expect(await rejectionOf(reader.GET("/v1/usage"))).toBe("forbidden");
  const query = { group_by: "user" };
  const { usage, totals } = await eventually(async () => {
    const report = await switchboard.GET("/v1/usage", { params: { query } });
    expect(report.totals.requests).toBe(3);
    return report;
  });
  expect(usage).toMatchObject([{ user_id: owner.user, requests: 3, total_tokens: totals.total_tokens }]);
  expect(totals.total_tokens).toBe(totals.input_tokens + totals.output_tokens);
});

step("reads and verifies the audit trail", async () => {
  const query = { target: conversation, limit: 100 };
  await eventually(async () => {
    const { audit_events } = await switchboard.GET("/v1/audit-events", { params: { query } });
    const actions = audit_events.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["conversation.created", "message.edited", "grant.created"]));
  });
  expect(await switchboard.GET("/v1/audit-events/verify")).toMatchObject({ valid: true, broken: null });
});

step("manages roles and API keys", async () => {
  const role = { name: "auditor", permissions: ["audit.read"] } as const;
  const created = await switchboard.POST("/v1/roles", { body: { ...role, permissions: [...role.permissions] } });
  expect(created).toMatchObject({ ...role, built_in: false });
  expect((await switchboard.GET("/v1/roles")).roles.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["admin", "auditor"]),
  );
  const body = { description: "Site", scopes: ["chat.completions" as const] };
  const { id, key, key_prefix } = await switchboard.POST("/v1/tenant/api-keys", { body });
  expect(key.startsWith(key_prefix)).toBe(true);
  expect(await switchboard.DELETE("/v1/tenant/api-keys/{id}", { params: { path: { id } } })).toBeUndefined();
  const { keys } = await switchboard.GET("/v1/tenant/api-keys");
  expect(keys).toMatchObject([{ id, description: "Site", is_revoked: true }]);
});

step("exports the conversation", async () => {
  const exported = await switchboard.POST("/v1/conversations/{id}/export", {
    ...conversationPath(),
    body: { format: "json" },
  });
  if (!("messages" in exported)) throw new Error("Expected the export in the response");
  expect(exported).toMatchObject({ version: 1, conversation: { id: conversation, title: "Trip to Lisbon" } });
  expect(exported.messages.map(({ message_id }) => message_id)).toContain(answer);
});

step("deletes the conversation", async () => {
  expect(await switchboard.DELETE("/v1/conversations/{id}", conversationPath())).toBeUndefined();
  expect(await rejectionOf(switchboard.GET("/v1/conversations/{id}", conversationPath()))).toBe("not_found");
  expect(await rejectionOf(reader.GET("/v1/conversations/{id}", conversationPath()))).toBe("not_found");
});

afterAll(() => expect(steps).toBe(30));
