import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, readFrames, readResponse } from "../client.ts";
import { createSite, Site } from "../embed/site.ts";
import { addIndexedDocument } from "../knowledge/add-indexed-document.ts";
import { type Script, searchThenCreateNote, streamText, streamToolCalls, type Upstream } from "../models/upstream.ts";
import { createColleague } from "../people.ts";
import type { SlackStub } from "../slack/slack-stub.ts";
import type { TeamsStub } from "../teams/teams-stub.ts";
import type { Operator } from "../tenancy/deployment-key.ts";
import { createKeyClient } from "../tenancy/key-client.ts";
import { startMcpServer, toolDefinition } from "../tools/mcp-server.ts";
import { hmacHex } from "../webhooks/channel.ts";
import type { Bodies, CallTwice } from "./call-twice.ts";
import { callIncidentOperations } from "./incident-operations.ts";
import { callMessengerOperations } from "./messenger-operations.ts";
import { callPeopleOperations } from "./people-operations.ts";
import { callTenantOperations } from "./tenant-operations.ts";
import { callToolOperations } from "./tool-operations.ts";

/** Administrator of a new tenant and the scripted provider of its instance. */
export interface Callers {
  readonly client: Client;
  readonly upstream: Upstream;
  readonly operator: Operator;
  /** Slack's API of its instance. */
  readonly slack: SlackStub;
  /** Microsoft's services of its instance. */
  readonly teams: TeamsStub;
}

const ORIGIN = "https://shop.example.com";
/** Question to which the model answers with a call of a tool server's tool. */
const ASK_THE_DESK = "Ask the desk who I am.";

/**
 * Proposes a note if the prompt has a keyword, calls a tool if it has the question for that, and otherwise greets. It depends on
 * nothing but the prompt, because several callers can share the provider.
 */
const answerByQuestion: Script = (response, request) => {
  const prompt = JSON.stringify(request.body);
  const [keyword] = /kw[\da-f]{8}/.exec(prompt) ?? [];
  if (keyword) return searchThenCreateNote(keyword, "Note")(response, request);
  const isAsked = request.body.tools && prompt.includes(ASK_THE_DESK) && !prompt.includes('"role":"tool"');
  const script = isAsked ? streamToolCalls(["desk__ask", "{}"]) : streamText(["Hello", " world"]);
  return script(response, request);
};

const randomName = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`;

/**
 * Calls every operation twice, on two resources of a new tenant, in an order in which each operation finds the
 * resources that it needs.
 */
export async function callEveryOperation(
  { client, upstream, operator, slack, teams }: Callers,
  twice: CallTwice,
): Promise<void> {
  const get = (operation: string, path: string | ((turn: 0 | 1) => string)) =>
    twice(operation, (turn) => client.get(typeof path === "string" ? path : path(turn)));
  const post = (operation: string, path: (turn: 0 | 1) => string, body: (turn: 0 | 1) => unknown = () => ({})) =>
    twice(operation, (turn) => client.post(path(turn), body(turn)));
  const change = (
    method: string,
    operation: string,
    path: (turn: 0 | 1) => string,
    body: object | ((turn: 0 | 1) => object),
  ) =>
    twice(operation, (turn) =>
      client.request(method, path(turn), typeof body === "function" ? body(turn) : body, { "if-match": "*" }),
    );
  const patch = (operation: string, path: (turn: 0 | 1) => string, body: object) =>
    change("PATCH", operation, path, body);
  const remove = (operation: string, path: (turn: 0 | 1) => string) =>
    twice(operation, (turn) => client.delete(path(turn)));
  const idOf = (bodies: Bodies) => (turn: 0 | 1) => String(bodies[turn].id);

  async function callOpenOperations() {
    const paths = {
      getOpenapi: "/v1/openapi.json",
      getProblem: "/problems/not-found",
      getFeatureFlags: "/v1/config/feature-flags",
      getHealth: "/health",
      getKeySet: "/.well-known/jwks.json",
      listConsentActivities: "/v1/consent/activities",
      getWidget: "/v1/embed/widget.js",
      getWidgetPart: "/v1/embed/widget/panel.js",
      redirectProject: "/v1/projects/x",
      redirectProjects: "/v1/projects",
      refuseAssistant: "/v1/assistants/x",
      refuseAssistants: "/v1/assistants",
      refuseChatStream: "/v1/chat/stream",
      refuseCompletions: "/v1/completions",
      getMe: "/v1/me",
      getMyAccess: "/v1/rbac/me",
      getReceptor: "/v1/receptor",
      listPermissions: "/v1/permissions",
    };
    for (const [operation, path] of Object.entries(paths)) await get(operation, path);
  }

  async function callKeyOperations() {
    const scopes = ["chat.completions", "models.read"];
    const keys = await twice("createApiKey", () =>
      client.post("/v1/tenant/api-keys", { description: "k", scopes }, { "idempotency-key": randomUUID() }),
    );
    await get("listApiKeys", "/v1/tenant/api-keys");
    return keys;
  }

  async function callTeamOperations() {
    const roles = await post(
      "createRole",
      () => "/v1/roles",
      () => ({ name: randomName("role"), permissions: ["usage.read"] }),
    );
    const role = (turn: 0 | 1) => `/v1/roles/${roles[turn].name}`;
    await get("listRoles", "/v1/roles");
    await patch("updateRole", role, { description: "Reads usage" });
    const member_ids = [(await createColleague(client)).identity.user];
    const group = idOf(
      await post(
        "createGroup",
        () => "/v1/groups",
        (turn) => ({ name: randomName("Group"), roles: [roles[turn].name], member_ids }),
      ),
    );
    await get("listGroups", "/v1/groups");
    await patch("updateGroup", (turn) => `/v1/groups/${group(turn)}`, { roles: [] });
    await remove("deleteGroup", (turn) => `/v1/groups/${group(turn)}`);
    await remove("deleteRole", role);
    await get("listUsers", "/v1/tenant/users");
    await get("getUser", `/v1/tenant/users/${member_ids[0]}`);
    await patch("updateUser", () => `/v1/tenant/users/${member_ids[0]}`, { is_active: true });
    const key = await createKeyClient(client, { preset: "chat_backend" });
    const exchange = {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      // Keys do not act for people who sign in.
      subject_token: randomName("person"),
      subject_token_type: "urn:switchboard:token-type:user-id",
    };
    await twice("createToken", () => key.post("/v1/tokens", exchange));
    await callPeopleOperations(client, twice);
  }

  async function callPersonaOperations() {
    const fields = { instructions: "Be brief.", visibility: "public", tier: "QUICK" };
    const persona = idOf(
      await post(
        "createPersona",
        () => "/v1/personas",
        () => ({ name: "Ada", ...fields }),
      ),
    );
    const models = await post(
      "createLanguageModel",
      () => "/v1/models",
      () => ({ name: randomName("model"), model_id: "demo" }),
    );
    const model = (turn: 0 | 1) => `/v1/models/${models[turn].name}`;
    await get("listLanguageModels", "/v1/models");
    await patch("updateLanguageModel", model, { price: { input: 1, output: 2 } });
    await remove("deleteLanguageModel", model);
    const path = (turn: 0 | 1) => `/v1/personas/${persona(turn)}`;
    await get("getPersona", path);
    await get("listPersonas", "/v1/personas");
    await patch("updatePersona", path, { name: "Grace" });
    const versions = (turn: 0 | 1) => `${path(turn)}/versions`;
    await get("listPersonaVersions", versions);
    await get("getPersonaVersion", (turn) => `${versions(turn)}/1`);
    await post(
      "restorePersonaVersion",
      (turn) => `${versions(turn)}/1/restore`,
      () => ({}),
    );
    await post(
      "publishPersonaVersion",
      (turn) => `${versions(turn)}/1/publish`,
      () => ({ percent: 50 }),
    );
    await remove("withdrawPersonaVersion", (turn) => `${versions(turn)}/1/publish`);
    await callTestOperations(persona);
    const slugs = [randomName("ada"), randomName("ada")] as const;
    await post(
      "publishPersona",
      (turn) => `${path(turn)}/publish`,
      (turn) => ({ slug: slugs[turn] }),
    );
    const unpublish = () => remove("unpublishPersona", (turn) => `${path(turn)}/publish`);
    return { id: persona(0), slug: slugs[0], remove: () => unpublish().then(() => remove("deletePersona", path)) };
  }

  async function callTestOperations(persona: (turn: 0 | 1) => string) {
    const set = idOf(
      await post(
        "createTestSet",
        () => "/v1/test-sets",
        (turn) => ({ persona_id: persona(turn), name: "Prices" }),
      ),
    );
    const path = (turn: 0 | 1) => `/v1/test-sets/${set(turn)}`;
    await get("getTestSet", path);
    await get("listTestSets", (turn) => `/v1/test-sets?persona_id=${persona(turn)}`);
    await patch("updateTestSet", path, { name: "Costs" });
    const added = await post(
      "addTestItems",
      (turn) => `${path(turn)}/items`,
      () => ({ items: [{ question: "What is it?" }] }),
    );
    await get("listTestItems", (turn) => `${path(turn)}/items`);
    const item = (turn: 0 | 1) => `${path(turn)}/items/${added[turn].added[0]}`;
    const runs = await post(
      "createTestRun",
      () => "/v1/test-runs",
      (turn) => ({ set_id: set(turn) }),
    );
    const run = (turn: 0 | 1) => `/v1/test-runs/${runs[turn].id}`;
    await get("getTestRun", run);
    await get("listTestRuns", (turn) => `/v1/test-runs?set_id=${set(turn)}`);
    await get("listTestResults", (turn) => `${run(turn)}/results`);
    const gate = (turn: 0 | 1) => `/v1/personas/${persona(turn)}/gate`;
    await change("PUT", "updatePersonaGate", gate, (turn) => ({ set_id: set(turn), min_score: 0.9 }));
    await remove("deletePersonaGate", gate);
    await remove("cancelTestRun", run);
    await patch("updateTestItem", item, { expectations: [{ type: "refuses" }] });
    await remove("deleteTestItem", item);
    await remove("deleteTestSet", path);
  }

  async function callOpenAiOperations(model: string, keys: Bodies) {
    const call = (operation: string, method: string, path: (turn: 0 | 1) => string, body?: object) =>
      twice(operation, async (turn) => {
        const response = await fetch(`${client.baseUrl}/openai/v1${path(turn)}`, {
          method,
          headers: { authorization: `Bearer ${keys[0].key}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(body) }),
        });
        return readResponse(response);
      });
    const messages = [{ role: "user", content: "Hello" }];
    await call("listModels", "GET", () => "/models");
    await call("getModel", "GET", () => `/models/${model}`);
    const completions = await call("createChatCompletion", "POST", () => "/chat/completions", { model, messages });
    await call("cancelChatCompletion", "POST", (turn) => `/chat/completions/${completions[turn].id}/cancel`);
    await call("createCompletion", "POST", () => "/completions", { model, prompt: "Hello" });
    const responses = await call("createResponse", "POST", () => "/responses", { model, input: "Hello" });
    await call("getResponse", "GET", (turn) => `/responses/${responses[turn].id}`);
    await call("listResponseItems", "GET", (turn) => `/responses/${responses[turn].id}/input_items`);
    await call("countResponseTokens", "POST", () => "/responses/input_tokens", { model, input: "Hello" });
    await call("compactResponse", "POST", () => "/responses/compact", { model, input: "Hello" });
    const items = [{ role: "user", content: "Hello" }];
    const conversations = await call("createOpenaiConversation", "POST", () => "/conversations", { items });
    const conversation = (turn: 0 | 1) => `/conversations/${conversations[turn].id}`;
    await call("getOpenaiConversation", "GET", conversation);
    await call("updateOpenaiConversation", "POST", conversation, { metadata: { topic: "Tides" } });
    const added = await call("createConversationItems", "POST", (turn) => `${conversation(turn)}/items`, { items });
    await call("listConversationItems", "GET", (turn) => `${conversation(turn)}/items`);
    const item = (turn: 0 | 1) => `${conversation(turn)}/items/${added[turn].data[0].id}`;
    await call("getConversationItem", "GET", item);
    await call("deleteConversationItem", "DELETE", item);
    await call("deleteOpenaiConversation", "DELETE", conversation);
    await call("deleteResponse", "DELETE", (turn) => `/responses/${responses[turn].id}`);
    await call("cancelResponse", "POST", (turn) => `/responses/${responses[turn].id}/cancel`);
    await call("createAnthropicMessage", "POST", () => "/messages", { model, messages, max_tokens: 100 });
    await call("countMessageTokens", "POST", () => "/messages/count_tokens", { model, messages });
    await call("createEmbedding", "POST", () => "/embeddings", { model: "bench", input: ["Hello"] });
    await call("createModeration", "POST", () => "/moderations", { input: "Hello" });
    await remove("revokeApiKey", (turn) => `/v1/tenant/api-keys/${keys[1 - turn].id}`);
  }

  async function callEmbedOperations(persona_id: string) {
    const fields = {
      name: "Shop",
      persona_id,
      allowed_origins: [ORIGIN],
      attachments: true,
      transcripts: true,
      handover: {},
    };
    const keys = await post(
      "createEmbedKey",
      () => "/v1/tenant/embed-keys",
      () => fields,
    );
    await get("listEmbedKeys", "/v1/tenant/embed-keys");
    await patch("updateEmbedKey", (turn) => `/v1/tenant/embed-keys/${keys[turn].id}`, { name: "Store" });
    const site = new Site(client.baseUrl, ORIGIN, keys[0]);
    await twice("getEmbedConfig", () => site.request("GET", "/v1/embed/config"));
    const session = idOf(await twice("startEmbedSession", () => site.startSession()));
    const path = (turn: 0 | 1) => `/v1/embed/sessions/${session(turn)}`;
    const files = await twice("createEmbedAttachment", (turn) =>
      site.request("POST", `${path(turn)}/attachments`, { file_name: "Maps.pdf", size: 5 }),
    );
    await twice("getEmbedAttachment", (turn) =>
      site.request("GET", `${path(turn)}/attachments/${files[turn].attachment.id}`),
    );
    const json = { accept: "application/json" };
    const answers = await twice("sendEmbedMessage", async (turn) =>
      readResponse(await site.sendMessage(session(turn), "Which islands are on your maps?", json)),
    );
    const message = (turn: 0 | 1) => `${path(turn)}/messages/${answers[turn].message_id}`;
    await twice("getEmbedSession", (turn) => site.getSession(session(turn)));
    await twice("resumeEmbedMessage", (turn) => site.request("GET", `${message(turn)}/stream`));
    await twice("rateEmbedMessage", (turn) => site.request("POST", `${message(turn)}/feedback`, { rating: "down" }));
    await twice("stopEmbedMessage", (turn) => site.request("POST", `${message(turn)}/stop`));
    const handover = (turn: 0 | 1) => `${path(turn)}/handover`;
    await twice("requestEmbedTranscript", (turn) =>
      site.request("POST", `${path(turn)}/transcript`, { email: "ann@example.com" }),
    );
    await twice("requestEmbedHandover", (turn) => site.request("PUT", handover(turn), {}));
    await twice("getEmbedHandover", (turn) => site.request("GET", handover(turn)));
    const [{ handovers }] = await get("listHandovers", "/v1/handovers");
    const held = (turn: 0 | 1) => `/v1/handovers/${handovers[turn].id}`;
    await twice("updateHandover", (turn) => client.patch(held(turn), { status: "claimed" }));
    await post(
      "sendHandoverMessage",
      (turn) => `${held(turn)}/messages`,
      () => ({ content: "Hello" }),
    );
    await twice("getHandover", (turn) => client.get(held(turn)));
    await twice("endEmbedHandover", (turn) => site.request("DELETE", handover(turn)));
    await callVisitorOperations(`/v1/tenant/embed-keys/${keys[0].id}`);
    await remove("revokeEmbedKey", (turn) => `/v1/tenant/embed-keys/${keys[turn].id}`);
  }

  /** Calls the operations of the owner of a website, of which two visitors rated an answer `down`. */
  async function callVisitorOperations(keyPath: string) {
    const [{ sessions }] = await get("listVisitorSessions", `${keyPath}/sessions`);
    await twice("getVisitorStatistics", () => client.get(`${keyPath}/statistics`));
    await twice("getVisitorSession", (turn) => client.get(`${keyPath}/sessions/${sessions[turn].id}`));
    let questions: { readonly id: string }[] = [];
    while (questions.length === 0) {
      await sleep(50);
      questions = (await client.get(`${keyPath}/questions`)).body.questions;
    }
    await get("listVisitorQuestions", `${keyPath}/questions`);
    await twice("updateVisitorQuestion", () =>
      client.request("PATCH", `${keyPath}/questions/${questions[0]?.id}`, { status: "answered" }),
    );
    await twice("deleteVisitorSession", (turn) => client.delete(`${keyPath}/sessions/${sessions[turn].id}`));
  }

  async function callConversationOperations() {
    const folder = idOf(
      await post(
        "createFolder",
        () => "/v1/folders",
        () => ({ name: randomName("Folder") }),
      ),
    );
    const folderPath = (turn: 0 | 1) => `/v1/folders/${folder(turn)}`;
    const conversation = idOf(
      await post(
        "createConversation",
        () => "/v1/conversations",
        () => ({ title: "Plans" }),
      ),
    );
    const path = (turn: 0 | 1) => `/v1/conversations/${conversation(turn)}`;
    await patch("updateConversation", path, { folder_id: folder(0) });
    await get("getFolder", folderPath);
    await get("listFolders", "/v1/folders");
    await twice("updateFolder", (turn) => client.patch(folderPath(turn), { name: randomName("Trips") }));
    await remove("deleteFolder", folderPath);
    await post(
      "importMessages",
      (turn) => `${path(turn)}/messages/import`,
      () => ({ messages: [{ role: "user", text: "Earlier" }] }),
    );
    await get("getConversation", path);
    await get("listConversations", "/v1/conversations");
    const attachments = await post(
      "createAttachment",
      (turn) => `${path(turn)}/attachments`,
      () => ({ file_name: "Maps.pdf", size: 5 }),
    );
    const attachment = (turn: 0 | 1) => `${path(turn)}/attachments/${attachments[turn].attachment.id}`;
    await get("getAttachment", attachment);
    await remove("deleteAttachment", attachment);
    const json = { accept: "application/json" };
    const turns = await twice("startChat", (turn) =>
      client.post("/v1/runtime/chat", { conversation_id: conversation(turn), content: "Hello", tier: "QUICK" }, json),
    );
    const answer = (turn: 0 | 1) => turns[turn].message_id as string;
    await get("resumeChat", (turn) => `/v1/runtime/chat/${answer(turn)}/stream`);
    await post("stopChat", (turn) => `/v1/runtime/chat/${answer(turn)}/stop`);
    const lists = await get("listMessages", (turn) => `${path(turn)}/messages`);
    const question = (turn: 0 | 1) => `${path(turn)}/messages/${lists[turn].messages[0].message_id}`;
    const feedback = idOf(
      await post(
        "giveFeedback",
        () => "/v1/feedback",
        (turn) => ({ message_id: answer(turn), conversation_id: conversation(turn), rating: "up" }),
      ),
    );
    await get("getFeedback", (turn) => `/v1/feedback/${feedback(turn)}`);
    await get("listFeedback", "/v1/feedback");
    await remove("deleteFeedback", (turn) => `/v1/feedback/${feedback(turn)}`);
    await patch("updateMessage", question, { content: "Hello again" });
    await get("listRevisions", (turn) => `${question(turn)}/revisions`);
    await get("searchMessages", "/v1/messages/search?q=Hello");
    await get("listReplies", (turn) => `${question(turn)}/replies`);
    // Questions that fill most of the window of 128,000 tokens: the last answers are followed by a summary of the first questions.
    for (const turn of [0, 1] as const) {
      for (let n = 0; n < 6; n++) {
        const content = "1 ".repeat(14_000);
        await client.post("/v1/runtime/chat", { conversation_id: conversation(turn), content, tier: "QUICK" }, json);
      }
      while ((await client.get(`${path(turn)}/summary`)).status !== 200) await sleep(100);
    }
    await get("getConversationSummary", (turn) => `${path(turn)}/summary`);
    await post(
      "exportConversation",
      (turn) => `${path(turn)}/export`,
      () => ({ format: "json" }),
    );
    await callSharingOperations(conversation);
    await callWebhookOperations(conversation(0));
    return {
      id: conversation(0),
      answer: answer(0),
      remove: async () => {
        await remove("deleteMessage", question);
        await remove("deleteConversation", path);
      },
    };
  }

  async function callSharingOperations(conversation: (turn: 0 | 1) => string) {
    const path = (turn: 0 | 1) => `/v1/chat/${conversation(turn)}`;
    const user_id = (await createColleague(client)).identity.user;
    await post(
      "createGrant",
      (turn) => `${path(turn)}/share`,
      () => ({ user_id, permission: "READ" }),
    );
    await get("listGrants", (turn) => `${path(turn)}/share`);
    await get("getGrant", (turn) => `${path(turn)}/share/${user_id}`);
    await remove("deleteGrant", (turn) => `${path(turn)}/share/${user_id}`);
    const links = await post(
      "createShareLink",
      (turn) => `${path(turn)}/share-link`,
      () => ({ expires_in: "1h" }),
    );
    const link = (turn: 0 | 1) => `${path(turn)}/share-links/${links[turn].link_id}`;
    await get("listShareLinks", (turn) => `${path(turn)}/share-link`);
    await get("getShareLink", link);
    await get("getSharedConversation", (turn) => new URL(links[turn].url, client.baseUrl).pathname);
    await remove("revokeShareLink", link);
  }

  async function callWebhookOperations(conversation_id: string) {
    const channels = [randomName("channel"), randomName("channel")] as const;
    const registrations = await post(
      "registerWebhook",
      () => "/v1/webhooks/register",
      (turn) => ({ channel_id: channels[turn], conversation_id }),
    );
    const path = (turn: 0 | 1) => `/v1/webhooks/${channels[turn]}`;
    await get("getWebhookInfo", (turn) => `${path(turn)}/info`);
    await get("listWebhooks", "/v1/webhooks");
    await twice("ingestAlert", async (turn) => {
      const body = JSON.stringify({ severity: "high", description: "Disk full", alert_id: randomUUID() });
      const headers = {
        "content-type": "application/json",
        "x-webhook-provider": "custom",
        "x-webhook-signature": hmacHex(registrations[turn].secret, body),
      };
      return readResponse(await fetch(client.baseUrl + path(turn), { method: "POST", headers, body }));
    });
    await patch("updateWebhook", path, { paths: { text: "alarm" } });
    await post("testWebhook", (turn) => `${path(turn)}/test`);
    const lists = await get("listDeliveries", (turn) => `${path(turn)}/deliveries`);
    const delivery = (turn: 0 | 1) => lists[turn].deliveries[0].fingerprint as string;
    await post("replayDelivery", (turn) => `${path(turn)}/deliveries/${delivery(turn)}/replay`);
    await post(
      "rotateWebhookSecret",
      (turn) => `${path(turn)}/rotate-secret`,
      () => ({ overlap_hours: 1 }),
    );
    await remove("removeWebhook", path);
  }

  async function callEventOperations() {
    const path = "/v1/event-endpoints";
    const fields = { url: "http://127.0.0.1:9/", types: ["run.completed"] };
    const id = idOf(
      await post(
        "createEventEndpoint",
        () => path,
        () => fields,
      ),
    );
    const endpoint = (turn: 0 | 1) => `${path}/${id(turn)}`;
    await get("getEventEndpoint", endpoint);
    await get("listEventEndpoints", path);
    await patch("updateEventEndpoint", endpoint, { description: "Sends completed runs to the planning system" });
    await post("rotateEventEndpointSecret", (turn) => `${endpoint(turn)}/rotate-secret`);
    await post("testEventEndpoint", (turn) => `${endpoint(turn)}/test`);
    const lists = await get("listEventDeliveries", (turn) => `${endpoint(turn)}/deliveries`);
    const delivery = (turn: 0 | 1) => encodeURIComponent(lists[turn].deliveries[0].id as string);
    await post("replayEventDelivery", (turn) => `${endpoint(turn)}/deliveries/${delivery(turn)}/replay`);
    await remove("deleteEventEndpoint", endpoint);
  }

  async function callKnowledgeOperations(message: { readonly id: string; readonly answer: string }) {
    const collections = await post(
      "createCollection",
      () => "/v1/knowledge/collections",
      () => ({ name: randomName("Collection") }),
    );
    const path = (turn: 0 | 1) => `/v1/knowledge/collections/${collections[turn].id}`;
    const text = "The harbor opens at seven and closes at three. Guests pay by card.";
    const document = idOf(
      await post(
        "createDocument",
        (turn) => `${path(turn)}/documents`,
        () => ({ title: "Harbor", text }),
      ),
    );
    const documentPath = (turn: 0 | 1) => `${path(turn)}/documents/${document(turn)}`;
    for (const turn of [0, 1] as const) {
      while ((await client.get(documentPath(turn))).body.status !== "ready") await sleep(50);
    }
    await get("getDocument", documentPath);
    await get("listDocuments", (turn) => `${path(turn)}/documents`);
    await get("getPassage", (turn) => `${documentPath(turn)}/passages/0`);
    await get("searchKnowledge", "/v1/knowledge/search?q=harbor%20opens");
    await change("PUT", "replaceDocument", documentPath, { title: "Harbor", text: `${text} Dogs are welcome.` });
    await patch("updateDocument", documentPath, { readers: [] });
    await post(
      "promoteMessage",
      (turn) => `${path(turn)}/promote`,
      () => ({ conversation_id: message.id, message_id: message.answer }),
    );
    await post(
      "createUpload",
      (turn) => `${path(turn)}/uploads`,
      () => ({ file_name: "Maps.pdf", size: 5 }),
    );
    const imports = idOf(
      await post(
        "createImport",
        (turn) => `${path(turn)}/imports`,
        () => ({ url: "https://127.0.0.1/" }),
      ),
    );
    await get("getImport", (turn) => `${path(turn)}/imports/${imports(turn)}`);
    await get("listImports", (turn) => `${path(turn)}/imports`);
    await waitForImports((turn) => `${path(turn)}/imports/${imports(turn)}`);
    await post("retryImport", (turn) => `${path(turn)}/imports/${imports(turn)}/retry`);
    await post("cancelImport", (turn) => `${path(turn)}/imports/${imports(turn)}/cancel`);
    await remove("deleteImport", (turn) => `${path(turn)}/imports/${imports(turn)}`);
    const entries = [{ path: "harbor.txt", hash: "0".repeat(64), size: 5 }];
    const syncs = await change(
      "PUT",
      "syncCollection",
      (turn) => `${path(turn)}/sync`,
      () => ({ entries, is_last: true }),
    );
    const sync_id = (turn: 0 | 1) => String(syncs[turn].sync.id);
    await change(
      "PUT",
      "stageSyncEntries",
      (turn) => `${path(turn)}/sync/entries`,
      (turn) => ({ sync_id: sync_id(turn), entries }),
    );
    await get("getSync", (turn) => `${path(turn)}/sync`);
    await post(
      "completeSync",
      (turn) => `${path(turn)}/sync/complete`,
      (turn) => ({ sync_id: sync_id(turn) }),
    );
    await remove("deleteDocument", documentPath);
    await get("getCollection", path);
    await get("listCollections", "/v1/knowledge/collections");
    await patch("updateCollection", path, { description: "Opening hours" });
    await remove("deleteCollection", path);
  }

  /** Waits until both imports have failed, because their address is not public. */
  async function waitForImports(path: (turn: 0 | 1) => string) {
    for (const turn of [0, 1] as const) {
      while ((await client.get(path(turn))).body.status === "running") await sleep(100);
    }
  }

  async function callTextOperations() {
    for (const [name, plural, fields, changes] of [
      ["Note", "notes", { title: "Packing" }, { body: "Socks" }],
      ["Memory", "memories", { text: "Prefers trains" }, { text: "Prefers ships" }],
      [
        "Schedule",
        "schedules",
        { name: "Report", question: "What is new?", cron: "0 9 * * *", time_zone: "UTC" },
        { enabled: false },
      ],
      ["Template", "templates", { name: "Greeting", body: "Hello {{who}}" }, { name: "Welcome" }],
    ] as const) {
      const path = `/v1/${plural}`;
      const id = idOf(
        await post(
          `create${name}`,
          () => path,
          () => fields,
        ),
      );
      await get(`get${name}`, (turn) => `${path}/${id(turn)}`);
      await get(`list${name === "Memory" ? "Memories" : `${name}s`}`, path);
      await patch(`update${name}`, (turn) => `${path}/${id(turn)}`, changes);
      if (name === "Schedule") {
        await get("listScheduleRuns", (turn) => `${path}/${id(turn)}/runs`);
        await post("startScheduleRun", (turn) => `${path}/${id(turn)}/runs`);
        await post(
          "previewSchedule",
          () => `${path}/preview`,
          () => ({ cron: "0 9 * * *", time_zone: "UTC" }),
        );
      }
      if (name === "Template") {
        await get("searchTemplates", "/v1/templates/search?q=welcome");
        await post(
          "renderTemplate",
          (turn) => `${path}/${id(turn)}/render`,
          () => ({ variables: { who: "Ada" } }),
        );
      }
      await remove(`delete${name}`, (turn) => `${path}/${id(turn)}`);
    }
  }

  async function callGovernanceOperations() {
    const policies = await get("getPolicy", "/v1/policy");
    const { version: _, updated_at: __, updated_by: ___, ...rules } = policies[0];
    await change("PUT", "updatePolicy", () => "/v1/policy", { ...rules, banner: { text: "Hello", level: "info" } });
    const budget = idOf(
      await post(
        "createBudget",
        () => "/v1/budgets",
        () => ({ name: "Month", unit: "usd", limit: 1_000, window: "month" }),
      ),
    );
    const budgetPath = (turn: 0 | 1) => `/v1/budgets/${budget(turn)}`;
    await get("getBudget", budgetPath);
    await get("listBudgets", "/v1/budgets");
    await patch("updateBudget", budgetPath, { name: "Each month" });
    await get("getMyLimits", "/v1/me/limits");
    await get("getMyUsage", "/v1/me/usage");
    await remove("deleteBudget", budgetPath);
    const path = "/v1/approvals";
    const fields = { type: "tool_execution", action: { operation: "launch", params: {} } };
    const requester = await createColleague(client);
    const requested = [(await requester.post(path, fields)).body.id, (await requester.post(path, fields)).body.id];
    const approval = idOf(
      await post(
        "createApproval",
        () => path,
        () => fields,
      ),
    );
    await get("getApproval", (turn) => `${path}/${approval(turn)}`);
    await get("listApprovals", path);
    await post(
      "decideApproval",
      (turn) => `${path}/${requested[turn]}/decide`,
      () => ({ decision: "approve" }),
    );
    await post("cancelApproval", (turn) => `${path}/${approval(turn)}/cancel`);
    const paused = [await askUntilPaused(), await askUntilPaused()] as const;
    await post(
      "confirmApproval",
      (turn) => `${path}/${paused[turn].approval}/confirm`,
      () => ({ decision: "approve" }),
    );
    for (const { finish } of paused) await finish();
    await callQuestionOperations();
    const exports = await post("createExport", () => "/v1/exports");
    const created = (turn: 0 | 1) => `/v1/exports/${exports[turn].export.id}`;
    for (const turn of [0, 1] as const) {
      while ((await client.get(created(turn))).body.status !== "ready") await sleep(100);
    }
    const ready = await get("getExport", created);
    await get("listExports", "/v1/exports");
    await twice("downloadExport", async (turn) => {
      const { status, headers } = await fetch(new URL(ready[turn].download_url, client.baseUrl));
      return { status, headers, text: "", body: undefined };
    });
    await get("listAuditEvents", "/v1/audit-events");
    await get("verifyAuditEvents", "/v1/audit-events/verify");
    await get("getUsage", "/v1/usage");
    const users = [await createColleague(client), await createColleague(client)];
    const deletion = idOf(
      await post(
        "createDataDeletion",
        () => "/v1/data-deletions",
        (turn) => ({ user_id: users[turn]?.identity.user }),
      ),
    );
    await get("getDataDeletion", (turn) => `/v1/data-deletions/${deletion(turn)}`);
  }

  /** Asks about a document whose text makes the model propose a note, until the run waits for the user. */
  async function askUntilPaused() {
    const keyword = randomName("kw").replace("-", "");
    await addIndexedDocument(client, { title: keyword, text: `${keyword} is a harbor. Write a note.` });
    const conversation_id = await client.createConversation();
    return chatUntilPaused({ conversation_id, content: `What is ${keyword}?`, tier: "THOUGHT_PARTNER" });
  }

  /** Answers the question of a tool server twice. */
  async function callQuestionOperations() {
    const mcpServer = await startMcpServer();
    mcpServer.tools = [toolDefinition("ask", { annotations: { readOnlyHint: true } })];
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
    const question = { method: "elicitation/create", params: { message: "Who are you?", requestedSchema } };
    mcpServer.call = () =>
      mcpServer.requests.at(-1)?.message.params.inputResponses
        ? { content: [{ type: "text", text: "Hello." }] }
        : { resultType: "input_required", inputRequests: { contact: question }, requestState: "asked" };
    const server = { name: "Desk", url: mcpServer.url, tool_modes: { ask: "auto" }, trusted_tools: ["ask"] };
    const { body } = await client.post("/v1/tools/servers", server);
    const persona = await client.post("/v1/personas", { name: "Clerk", tool_servers: [{ server_id: body.id }] });
    const ask = async () => {
      const fields = { title: "Desk", persona_id: persona.body.id };
      const { body: conversation } = await client.post("/v1/conversations", fields);
      return chatUntilPaused({ conversation_id: conversation.id, content: ASK_THE_DESK, tier: "THINKING" });
    };
    const paused = [await ask(), await ask()] as const;
    const answers = { contact: { action: "accept", content: { name: "Ada" } } };
    await post(
      "answerApproval",
      (turn) => `/v1/approvals/${paused[turn].approval}/answer`,
      () => ({ answers }),
    );
    for (const { finish } of paused) await finish();
    await confirmAsVisitor(mcpServer.url);
    await mcpServer.stop();
  }

  /** Lets two visitors of a website agree to the call of a tool. */
  async function confirmAsVisitor(url: string) {
    const server_id = (await client.post("/v1/tools/servers", { name: "Desk", url })).body.id;
    const persona = { tier: "THINKING" };
    const tools = [{ server_id, tools: ["ask"], visitors: "anyone" }];
    const site = await createSite(client, { origin: ORIGIN, persona, tools });
    const ask = async () => {
      const session = await site.createSession();
      const card = (await site.chat(session, ASK_THE_DESK)).find(({ event }) => event === "tool_card")?.data;
      return { session, card };
    };
    const asked = [await ask(), await ask()] as const;
    await twice("confirmEmbedToolCall", (turn) => {
      const { session, card } = asked[turn];
      const path = `/v1/embed/sessions/${session}/approvals/${card.approval_id}/confirm`;
      return site.request("POST", path, { decision: "approve" });
    });
    for (const { session, card } of asked) {
      const isComplete = async () => (await site.getSession(session)).body.messages.at(-1).status !== "streaming";
      while (!(await isComplete())) await sleep(100);
      if (card.status !== "waiting") throw new Error("The visitor was not asked");
    }
  }

  /** Sends a question and reads the stream until the run waits for the user. */
  async function chatUntilPaused(question: object) {
    const response = await client.fetch("/v1/runtime/chat", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(question),
    });
    const stream = readFrames(response);
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      const { approval_id } = next.value.data;
      if (approval_id) return { approval: String(approval_id), finish: () => Array.fromAsync(stream) };
    }
    throw new Error("The run did not wait for the user");
  }

  upstream.script = answerByQuestion;
  await callOpenOperations();
  const keys = await callKeyOperations();
  await callTeamOperations();
  const persona = await callPersonaOperations();
  await callOpenAiOperations(persona.slug, keys);
  await callEmbedOperations(persona.id);
  const conversation = await callConversationOperations();
  await callTextOperations();
  await callKnowledgeOperations(conversation);
  await callToolOperations(client, twice);
  await callIncidentOperations(client, persona.id, twice);
  await callEventOperations();
  await callMessengerOperations(client, { slack, teams }, twice);
  await callGovernanceOperations();
  await callTenantOperations(operator, twice);
  await conversation.remove();
  await persona.remove();
}
