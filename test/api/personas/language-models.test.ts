import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { streamText } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
let client: Client;

beforeAll(async () => {
  service = await startScriptedService({ env: { MODEL_API_KEY: "key-of-deployment" } });
  service.upstream.script = streamText(["An answer."]);
});

beforeEach(() => {
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(() => service?.stop());

const add = async (fields: object, by: Client = client) => {
  const { status, body, text } = await by.post("/v1/models", { model_id: "mistral-large", ...fields });
  expect(status, text).toBe(201);
  return body;
};

const addPersona = async (model: string, fields: object = {}) => {
  const persona = { name: "Own", instructions: "Be brief.", visibility: "org", model, ...fields };
  const { status, body, text } = await client.post("/v1/personas", persona);
  expect(status, text).toBe(201);
  return body;
};

/** Asks a question with a persona. @returns the stored answer and the provider's last request */
const ask = async (persona_id: string, by: Client = client) => {
  const { body: conversation } = await by.post("/v1/conversations", { title: "Own model", persona_id });
  const { status, body } = await by.post(
    "/v1/runtime/chat",
    { conversation_id: conversation.id, content: "Hello", tier: "QUICK" },
    { accept: "application/json" },
  );
  return { status, body, request: service.upstream.requests.at(-1) };
};

const setChoices = async (choices: object[] | null) => {
  const current = await client.get("/v1/policy");
  const body = { ...current.body, models: { choices } };
  const { status, text } = await client.put("/v1/policy", body, { "if-match": current.headers.get("etag") ?? "" });
  expect(status, text).toBe(200);
};
const choose = async (model: string, by: Client, persona_id: string | null = null) => {
  const { body: conversation } = await by.post("/v1/conversations", { title: "Choice", persona_id });
  const question = { conversation_id: conversation.id, content: "Hello", tier: "QUICK", model };
  const { status, body } = await by.post("/v1/runtime/chat", question, { accept: "application/json" });
  return [status, body.code ?? body.model];
};
const listed = async (by: Client, name: string) =>
  (await by.get("/v1/models")).body.models.find((model: { name: string }) => model.name === name);

it("choice of a model in a chat is free by default, and can be limited by the policy to models, groups and personas", async () => {
  await add({ name: "large" });
  await add({ name: "small" });
  const [colleague, other] = await Promise.all([createColleague(client), createColleague(client)]);
  expect(await listed(colleague, "large")).toMatchObject({ choices: null, choosable_with: null });
  expect((await choose("large", colleague))[0]).toBe(200);
  const group = (await client.post("/v1/groups", { name: "Experts", roles: [], member_ids: [colleague.identity.user] }))
    .body.id;
  const persona = (await addPersona("small")).id;
  await setChoices([{ model: "small" }, { model: "large", group_ids: [group], persona_ids: [persona] }]);
  const choices = [{ group_ids: [group], persona_ids: [persona] }];
  expect(await listed(colleague, "large")).toMatchObject({ choices, choosable_with: [persona] });
  expect(await listed(other, "large")).toMatchObject({ choices, choosable_with: [] });
  expect(await listed(client, "gpt-4o")).toMatchObject({ choices: [], choosable_with: [] });
  expect(await listed(other, "small")).toMatchObject({ choosable_with: null });
  expect((await choose("small", other))[0]).toBe(200);
  expect((await choose("large", colleague, persona))[0]).toBe(200);
  expect((await choose("large", client, persona))[0]).toBe(200);
  for (const refused of [
    choose("large", colleague),
    choose("large", other, persona),
    choose("gpt-4o", client),
    choose("gpt-4o", colleague),
  ]) {
    expect(await refused).toEqual([403, "forbidden"]);
  }
  // The rules are about choices: a persona answers with its own model.
  expect((await ask((await addPersona("large")).id, other)).status).toBe(200);
  const { body, headers } = await client.get("/v1/policy");
  const { models, ...others } = body;
  await client.put("/v1/policy", others, { "if-match": headers.get("etag") ?? "" });
  expect((await client.get("/v1/policy")).body.models).toEqual(models);
  await setChoices(null);
  expect((await choose("gpt-4o", other))[0]).toBe(200);
});

it("language model of a tenant answers with its own key and price, in chats and for OpenAI clients", async () => {
  const price = { input: 1_000, output: 2_000 };
  const model = await add({ name: "own-large", price, api_key: "key-of-tenant", context_tokens: 8_000 });
  expect(model).toMatchObject({ name: "own-large", provider: "default", has_key: true, price });
  const persona = await addPersona("own-large", { visibility: "public" });
  const { body, request } = await ask(persona.id);
  expect([request?.body.model, request?.authorization]).toEqual(["mistral-large", "Bearer key-of-tenant"]);
  const { input_tokens, output_tokens, cost_usd } = body.usage;
  expect(cost_usd).toBeCloseTo((input_tokens * price.input + output_tokens * price.output) / 1_000_000, 5);
  expect(body.model).toBe(`tenant:${client.identity.tenant}/own-large`);
  await client.post(`/v1/personas/${persona.id}/publish`, { slug: "own" });
  const scopes = ["chat.completions", "models.read"];
  const keyReply = await client.post("/v1/tenant/api-keys", { description: "k", scopes }, { "idempotency-key": "k" });
  const { key } = keyReply.body;
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const completion = await client.fetch("/openai/v1/chat/completions", {
    method: "POST",
    headers,
    body: JSON.stringify({ model: "own", messages: [{ role: "user", content: "Hello" }] }),
  });
  expect(completion.status).toBe(200);
  expect(service.upstream.requests.at(-1)?.authorization).toBe("Bearer key-of-tenant");
  const listed = await (await client.fetch("/openai/v1/models", { headers })).json();
  expect(listed).toMatchObject({ data: [{ id: "own", capabilities: { context_window: 8_000 } }] });
});

it("language model of a tenant uses the deployment's key if it has no key of its own, and never treats a key as the name of a secret", async () => {
  await add({ name: "shared" });
  await add({ name: "odd", api_key: "secret:app-secret" });
  const [shared, odd] = [await addPersona("shared"), await addPersona("odd")];
  expect((await ask(shared.id)).request?.authorization).toBe("Bearer key-of-deployment");
  expect((await ask(odd.id)).request?.authorization).toBe("Bearer secret:app-secret");
});

it("language model of a tenant is listed with the models of the deployment, without its key", async () => {
  await add({ name: "vision", model_id: "qwen-vl", api_key: "key-of-tenant" });
  const { body, text } = await client.get("/v1/models");
  expect(body.models).toMatchObject([
    { name: "gpt-4o", source: "deployment", tiers: ["QUICK", "THINKING", "RESEARCH", "THOUGHT_PARTNER"] },
    { name: "vision", source: "tenant", inputs: ["image"], price: null, tiers: [], usable: true, has_key: true },
  ]);
  expect(body.models[0].price).toEqual({ input: 2.5, cached: 1.25, output: 10 });
  expect(text).not.toContain("key-of-tenant");
  const other = new Client(newIdentity(), service.baseUrl);
  expect((await other.get("/v1/models")).body.models).toHaveLength(1);
  const refused = await other.post("/v1/personas", { name: "Theirs", instructions: "-", model: "vision" });
  expect([refused.status, refused.body.errors[0].code]).toEqual([400, "unknown_model"]);
  const fullName = `tenant:${client.identity.tenant}/vision`;
  expect((await other.post("/v1/personas", { name: "Theirs", instructions: "-", model: fullName })).status).toBe(400);
});

it("language model of a tenant is reserved for the groups that it names", async () => {
  const [colleague, outsider] = [await createColleague(client), await createColleague(client)];
  const member_ids = [colleague.identity.user];
  const group = (await client.post("/v1/groups", { name: "Research", roles: [], member_ids })).body;
  await add({ name: "expensive", group_ids: [group.id] });
  const persona = await addPersona("expensive");
  const usable = async (by: Client) => (await by.get("/v1/models")).body.models.at(-1).usable;
  expect([await usable(colleague), await usable(outsider), await usable(client)]).toEqual([true, false, true]);
  expect((await ask(persona.id, colleague)).status).toBe(200);
  const refused = await ask(persona.id, outsider);
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("reserved for other groups")]);
});

it("language model of a tenant can be chosen for one answer, if it is known and not reserved for others", async () => {
  const group = (await client.post("/v1/groups", { name: "Without members", roles: [], member_ids: [] })).body;
  await add({ name: "own" });
  await add({ name: "reserved", group_ids: [group.id] });
  const member = await createColleague(client);
  const { body: conversation } = await member.post("/v1/conversations", { title: "Choice" });
  const choose = async (model: string) => {
    const question = { conversation_id: conversation.id, content: "Hello", tier: "QUICK", model };
    const { status, body } = await member.post("/v1/runtime/chat", question, { accept: "application/json" });
    return [status, body.model ?? body.code];
  };
  expect(await choose("own")).toEqual([200, `tenant:${client.identity.tenant}/own`]);
  expect(await choose("gpt-4o")).toEqual([200, "gpt-4o"]);
  expect(await choose("unknown")).toEqual([400, "validation_failed"]);
  expect(await choose("reserved")).toEqual([403, "forbidden"]);
});

it("language model of a tenant can be changed and deleted, after which the model of the tier answers", async () => {
  await add({ name: "temporary", api_key: "first" });
  const changed = await client.patch("/v1/models/temporary", { model_id: "mistral-small", api_key: null });
  expect(changed.body).toMatchObject({ model_id: "mistral-small", has_key: false });
  const persona = await addPersona("temporary");
  expect((await client.delete("/v1/models/temporary")).status).toBe(204);
  expect((await ask(persona.id)).request?.body.model).toBe("gpt-4o");
  expect((await client.delete("/v1/models/temporary")).status).toBe(404);
  expect((await client.patch("/v1/models/temporary", {})).status).toBe(404);
});

it("language model of a tenant is rejected for an existing name, an unknown provider, an invalid field or a missing permission", async () => {
  await add({ name: "taken" });
  const status = async (fields: object) =>
    (await client.post("/v1/models", { name: "fine", model_id: "m", ...fields })).status;
  expect(await status({ name: "taken" })).toBe(409);
  expect(await status({ name: "gpt-4o" })).toBe(409);
  expect(await status({ provider: "elsewhere" })).toBe(400);
  expect(await status({ name: "a/b" })).toBe(400);
  expect(await status({ api_key: "two words" })).toBe(400);
  expect(await status({ price: { input: -1, output: 1 } })).toBe(400);
  const member = await createColleague(client);
  expect((await member.post("/v1/models", { name: "fine", model_id: "m" })).status).toBe(403);
});
