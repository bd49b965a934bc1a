/**
 * Executes requests of a user and a colleague against the emulated API. `deploy.py` starts this program with
 * `ScenarioSettings` as JSON in the first argument. Prints each failed step; exits with 1 if there is one.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { rotate } from "../../infra/commands/rotate.ts";

/** Addresses and credentials of the deployment. */
interface ScenarioSettings {
  /** Base URLs of the REST APIs by the beginnings of their paths: `/v1/notes`. */
  readonly apis: Readonly<Record<string, string>>;
  /** URLs of the streaming functions by operation id in kebab case. */
  readonly streams: Readonly<Record<string, string>>;
  readonly originSecret: string;
  readonly ownerToken: string;
  readonly colleagueToken: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into, and a wrong look fails the step
  readonly body: any;
}

interface CallOptions {
  readonly body?: unknown;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

const settings = JSON.parse(process.argv[2] ?? "{}") as ScenarioSettings;
const failures: string[] = [];
let steps = 0;

async function call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
  const { body, token = settings.ownerToken, headers } = options;
  const [beginning = ""] = /^\/[^/?]*(\/[^/?]*)?/.exec(path) ?? [];
  const url = path.startsWith("http") ? path : `${settings.apis[beginning] ?? settings.apis["/health"]}${path}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
}

/** Checks that `actual` has the members of `expected`. */
const contains = (actual: unknown, expected: unknown): boolean =>
  typeof expected === "object" && expected !== null && !Array.isArray(expected)
    ? Object.entries(expected).every(([name, value]) => contains((actual as Record<string, unknown>)?.[name], value))
    : isDeepStrictEqual(actual, expected);

/** Sends a request and compares status and body of the reply. Returns the body, even if the step failed. */
async function step(
  title: string,
  request: () => Promise<Reply>,
  status: number,
  expected: unknown = {},
): Promise<Reply["body"]> {
  steps += 1;
  try {
    const reply = await request();
    const holds = reply.status === status && (reply.body === "" || contains(reply.body, expected));
    if (!holds) failures.push(`${title}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 300)}`);
    return reply.body;
  } catch (error) {
    failures.push(`${title}: ${error}`);
    return {};
  }
}

const create = (title: string, path: string, body: unknown, expected: unknown = {}) =>
  step(title, () => call("POST", path, { body }), 201, expected);
const read = (title: string, path: string, expected: unknown = {}) =>
  step(title, () => call("GET", path), 200, expected);
const change = (title: string, path: string, body: unknown, expected: unknown = body) =>
  step(title, () => call("PATCH", path, { body }), 200, expected);
const remove = (title: string, path: string) => step(title, () => call("DELETE", path), 204);
const isGone = (title: string, path: string) => step(title, () => call("GET", path), 404, { code: "not_found" });

async function runPlatformSteps(): Promise<void> {
  await step("reads the health without a credential", () => call("GET", "/health", { token: null }), 200);
  await step("refuses a request without a token", () => call("GET", "/v1/me", { token: null }), 401);
  await step("refuses a forged token", () => call("GET", "/v1/me", { token: "a.b.c" }), 401);
  await step("answers an unknown path as a problem", () => call("GET", "/v1/nothing"), 404, { code: "not_found" });
  await read("reads the caller", "/v1/me", { roles: ["admin"] });
  await read("reads the rights of the caller", "/v1/rbac/me");
  await read("reads the policy", "/v1/policy");
}

async function runConversationSteps(): Promise<string> {
  const invalid = { body: { tier: "none" } };
  await step("rejects an invalid body", () => call("POST", "/v1/conversations", invalid), 400);
  const { id } = await create("creates a conversation", "/v1/conversations", { title: "Trip" }, { title: "Trip" });
  const path = `/v1/conversations/${id}`;
  await read("reads the conversation", path, { id, access: "owner" });
  await change("renames and pins it", path, { title: "Lisbon", pinned: true });
  await read("lists conversations", "/v1/conversations?pinned=true");
  await step("hides it from a colleague", () => call("GET", path, { token: settings.colleagueToken }), 404);
  const key = { headers: { "idempotency-key": randomUUID() }, body: { title: "Once" } };
  const first = await step("creates once for a key", () => call("POST", "/v1/conversations", key), 201);
  const retry = () => call("POST", "/v1/conversations", key);
  await step("answers a retry with the same conversation", retry, 201, { id: first.id });
  const other = { ...key, body: { title: "Other" } };
  await step("refuses the key for another body", () => call("POST", "/v1/conversations", other), 422);
  await remove("deletes a conversation", `/v1/conversations/${first.id}`);
  await isGone("does not find the deleted conversation", `/v1/conversations/${first.id}`);
  return String(id);
}

async function runFolderSteps(conversation: string): Promise<void> {
  const { id } = await create("creates a folder", "/v1/folders", { name: "Travel" }, { name: "Travel" });
  await step(
    "refuses a second folder of that name",
    () => call("POST", "/v1/folders", { body: { name: "Travel" } }),
    409,
  );
  await change("moves the conversation to the folder", `/v1/conversations/${conversation}`, { folder_id: id });
  await read("counts the conversations of the folder", `/v1/folders/${id}`, { conversation_count: 1 });
  await change("renames the folder", `/v1/folders/${id}`, { name: "Trips" });
  await remove("deletes the folder", `/v1/folders/${id}`);
}

async function runTextSteps(conversation: string): Promise<void> {
  const fields = { title: "Packing", body: "Socks", conversation_id: conversation };
  const note = await create("creates a note", "/v1/notes", fields);
  await read("reads the note", `/v1/notes/${note.id}`, { title: "Packing" });
  await change("changes the note", `/v1/notes/${note.id}`, { body: "Hats" });
  await remove("deletes the note", `/v1/notes/${note.id}`);
  const template = await create("creates a template", "/v1/templates", { name: "Greeting", body: "Hello {{name}}" });
  const render = () => call("POST", `/v1/templates/${template.id}/render`, { body: { variables: { name: "Ada" } } });
  await step("renders the template", render, 200);
  await read("lists templates", "/v1/templates");
  await remove("deletes the template", `/v1/templates/${template.id}`);
  const memory = await create("creates a memory", "/v1/memories", { text: "Prefers trains", scope: "user" });
  await read("lists memories", "/v1/memories");
  await remove("deletes the memory", `/v1/memories/${memory.id}`);
}

async function runTeamSteps(): Promise<void> {
  const role = { name: "reviewer", description: "Reviews", permissions: [] };
  await create("creates a role", "/v1/roles", role);
  const group = await create("creates a group", "/v1/groups", { name: "Team", roles: ["reviewer"], member_ids: [] });
  await change("renames the group", `/v1/groups/${group.id}`, { name: "Crew" });
  await remove("deletes the group", `/v1/groups/${group.id}`);
  await remove("deletes the role", "/v1/roles/reviewer");
  const forbidden = () => call("POST", "/v1/roles", { body: role, token: settings.colleagueToken });
  await step("refuses a colleague to create roles", forbidden, 403);
  const persona = await create("creates a persona", "/v1/personas", { name: "Guide", instructions: "Be brief." });
  await read("reads the persona", `/v1/personas/${persona.id}`, { name: "Guide" });
  const collection = await create("creates a collection", "/v1/knowledge/collections", { name: "Handbook" });
  await read("reads the collection", `/v1/knowledge/collections/${collection.id}`, { name: "Handbook" });
  await read("reads the usage", "/v1/usage");
}

/** Uses keys that are derived from the app secret, and rotates it. The functions of the next deployment read the new value. */
async function runSecretSteps(): Promise<void> {
  const body = { description: "Rehearsal", scopes: ["models.read"] };
  const request = { body, headers: { "idempotency-key": randomUUID() } };
  const createKey = () => call("POST", "/v1/tenant/api-keys", request);
  const { key } = await step("creates an API key", createKey, 201);
  await step("answers a retry with the same key", createKey, 201, { key });
  const { keys = [] } = await read("lists the keys", "/v1/tenant/api-keys");
  const unknown = keys.filter(({ key_hint }: { key_hint: string | null }) => key_hint === null);
  if (unknown.length > 0) failures.push(`${unknown.length} of ${keys.length} keys have no hint`);
  await rotate("switchboard-prod-app-secret", { force: true });
}

/** Polls the audit trail until the stream processor has recorded the changes of the other steps. */
async function runChangeSteps(): Promise<void> {
  const path = "/v1/audit-events?limit=100";
  const isRecorded = ({ body }: Reply) => (body.events ?? body.audit_events ?? []).length > 0;
  for (let attempt = 0; attempt < 30 && !isRecorded(await call("GET", path)); attempt++) await sleep(1_000);
  const events = await read("reads the audit events of the changes", path);
  if (!isRecorded({ body: events } as Reply)) failures.push(`no audit events: ${JSON.stringify(events).slice(0, 200)}`);
}

/** Prints the emulator's responses to requests that it is known not to support. */
async function probeLimits(conversation_id: string): Promise<void> {
  const url = `${settings.streams["start-chat"]}v1/runtime/chat`;
  const body = { conversation_id, content: "Hello", tier: "QUICK" };
  const { status, body: reply } = await call("POST", url, {
    body,
    headers: { "x-origin-secret": settings.originSecret },
  });
  console.log(`limit   streaming function: ${status} ${JSON.stringify(reply).slice(0, 150)}`);
}

await runPlatformSteps();
const conversation = await runConversationSteps();
await runFolderSteps(conversation);
await runTextSteps(conversation);
await runTeamSteps();
await runSecretSteps();
await runChangeSteps();
await probeLimits(conversation);
for (const failure of failures) console.log(`FAILED  ${failure}`);
console.log(`scenario: ${steps} steps, ${failures.length} failures`);
process.exit(failures.length > 0 ? 1 : 0);
