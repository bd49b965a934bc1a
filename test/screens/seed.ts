import type { Client } from "#test/support/client.ts";
import { consoleViews } from "#test/support/console-views.ts";
import { createSite } from "#test/support/embed/site.ts";
import { raiseIncident } from "#test/support/investigations/raise-incident.ts";
import { alertSamples } from "#test/support/webhooks/alert-payloads.ts";
import { createChannel } from "#test/support/webhooks/channel.ts";
import { mapConcurrent } from "../../shared/lib/map-concurrent.ts";

/** Paths of the views by their names. */
export type Views = Readonly<Record<string, string>>;

/** Number of requests that are in flight at a time. */
const CONCURRENCY = 8;

/** Ends of names that are longer than their place, or that are written in another direction or without letters. */
const oddEnds = [
  "with a name that is much longer than its place and does not end there",
  "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung",
  "أوقات الدوام في أيام العطل الرسمية والمكتبة",
  "👩‍🚀🚀🧪 <b>&amp;</b>",
];

const arabic = "متى تفتح المكتبة؟ أريد أن أعرف أوقات الدوام في أيام العطل.";

/** Returns the name of an entry; every fifth is odd. */
function nameOf(kind: string, index: number, maxLength = 100): string {
  const name = index % 5 === 0 ? `${kind} ${index} ${oddEnds[(index / 5) % oddEnds.length]}` : `${kind} ${index}`;
  return name.slice(0, maxLength);
}

/**
 * Fills the tenant with `count` entries of each kind, and returns the paths of its views.
 * @param toolServerUrl address of an MCP server
 */
export async function seed(client: Client, count: number, toolServerUrl: string): Promise<Views> {
  const indices = Array.from({ length: count }, (_, index) => index);
  const forEach = async <Result>(kind: string, create: (index: number) => Promise<Result>): Promise<Result[]> => {
    const startedAt = performance.now();
    const results = await mapConcurrent(indices, create, CONCURRENCY);
    console.log(`${kind}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
    return results;
  };
  const idOf = async (path: string, body: object) => (await client.post(path, body)).body.id as string;
  const create = (kind: string, path: string, toBody: (index: number) => object) =>
    forEach(kind, (index) => idOf(path, toBody(index)));
  await forEach("conversations", (index) => client.createConversation(nameOf("Conversation", index)));
  const personas = await create("personas", "/v1/personas", (index) => ({
    name: nameOf("Persona", index),
    description: "Answers about the library.",
  }));
  const collections = await create("collections", "/v1/knowledge/collections", (index) => ({
    name: nameOf("Collection", index),
  }));
  await create("templates", "/v1/templates", (index) => ({
    name: nameOf("Template", index),
    body: "Summarize {{text}}",
  }));
  await create("folders", "/v1/folders", (index) => ({ name: nameOf("Folder", index) }));
  await create("memories", "/v1/memories", (index) => ({ text: nameOf("Memory", index), category: "fact" }));
  await create("budgets", "/v1/budgets", (index) => ({
    ...{ name: nameOf("Budget", index), unit: "usd", limit: index + 1, window: "month" },
  }));
  await create("models", "/v1/models", (index) => ({
    ...{ name: `model-${index}`, model_id: "vendor/model", price: { input: 1, output: 2 } },
  }));
  const workspaces = await create("workspaces", "/v1/messengers/slack/workspaces", (index) => ({
    name: nameOf("Workspace", index, 35),
  }));
  // 20 at most.
  await create("teams", "/v1/messengers/teams/workspaces", (index) => ({ name: nameOf("Team", index, 30) }));
  await create("servers", "/v1/tools/servers", (index) => ({ name: nameOf("Server", index), url: toolServerUrl }));
  await create("invitations", "/v1/tenant/invitations", (index) => ({ note: nameOf("Guest", index) }));
  await forEach("keys", (index) => {
    const body = { description: nameOf("Key", index), scopes: ["chat.completions"] };
    return client.post("/v1/tenant/api-keys", body, { "idempotency-key": `key-${index}` });
  });
  const endpoints = await create("endpoints", "/v1/event-endpoints", (index) => ({
    ...{ url: `https://example.com/${index}`, types: ["run.completed", "run.failed"] },
    description: nameOf("Endpoint", index),
  }));
  await create("approvals", "/v1/approvals", (index) => ({
    type: "tool_execution",
    action: { operation: "launch", params: { ship: nameOf("Ship", index) } },
  }));
  await create("notes", "/v1/notes", (index) => ({
    ...{ title: nameOf("Note", index), body: "Bring the keys.", tags: ["library"] },
  }));
  const [collection = "", persona = ""] = [collections.at(-1), personas.at(-1)];
  // The numbers of versions follow the order of the requests.
  for (const index of indices.slice(1)) {
    await client.patch(`/v1/personas/${persona}`, {
      instructions: `Answer in ${index % 7} sentences.\n${arabic}\nName your sources.`,
      starter_prompts: index % 2 ? ["When does it open?", arabic] : [],
      note: nameOf("Change", index),
      publish: index % 3 > 0,
    });
  }
  const group = await idOf("/v1/groups", { name: nameOf("Pilots", 0, 80), member_ids: [] });
  await client.post(`/v1/personas/${persona}/versions/1/publish`, { group_ids: [group] });
  await client.post(`/v1/personas/${persona}/versions/${count}/publish`, { percent: 10 });
  const sets = await create("test sets", "/v1/test-sets", (index) => ({
    ...{ persona_id: persona, name: nameOf("Test set", index), description: index % 2 ? arabic : "" },
  }));
  const testSet = sets.at(-1) ?? "";
  const items = indices.map((index) => ({
    question: index % 3 ? `${nameOf("Question", index)}?` : arabic,
    note: index % 2 ? nameOf("Note", index) : "",
    expectations: [{ type: "contains", text: "nine" }, { type: "refuses" }].slice(0, index % 3),
  }));
  await client.post(`/v1/test-sets/${testSet}/items`, { items });
  const versions = [1, count];
  const testRun = count > 1 ? await idOf("/v1/test-runs", { set_id: testSet, versions }) : undefined;
  const documents = await create("documents", `/v1/knowledge/collections/${collection}/documents`, (index) => ({
    ...{ title: nameOf("Document", index), text: `Text ${index}.`, media_type: "text/plain" },
  }));
  const site = await createSite(client, {
    name: nameOf("Website", 0, 80),
    persona: { name: "Shop", tier: "QUICK" },
    handover: {},
  });
  await forEach("visitors", async (index) => {
    const page = `${site.origin}/help/${index % 5 === 0 ? "a-very-long-part-of-the-address/".repeat(6) : index}`;
    const session = (await site.startSession({ page, ...(index % 2 && { visitor: { id: `v-${index}` } }) })).body.id;
    const question = index % 10 === 5 ? arabic : `${nameOf("May I ask question", index)}?`;
    const reply = await site.sendMessage(session, question, { accept: "application/json" });
    const { message_id } = (await reply.json()) as { message_id: string };
    const path = `/v1/embed/sessions/${session}/messages/${message_id}/feedback`;
    await site.request("POST", path, { rating: index % 3 === 0 ? "up" : "down" });
    await site.request("PUT", `/v1/embed/sessions/${session}/handover`, {});
    await site.sendMessage(session, `${question} ${question}`);
  });
  const [waiting] = (await client.get("/v1/handovers")).body.handovers;
  if (waiting) await client.patch(`/v1/handovers/${waiting.id}`, { status: "claimed", note: arabic });
  const monitoring = await createChannel({}, client);
  const incident = await raiseIncident(client, monitoring.id, monitoring.registration.secret ?? "", persona);
  const conversation = await client.createConversation("The library");
  for (const content of ["When does it open?", arabic]) await client.chat({ conversation_id: conversation, content });
  const alerts = await createChannel({ signature_scheme: "token" }, client);
  for (const { payload, headers } of alertSamples.slice(0, count)) {
    const authorization = `Bearer ${alerts.registration.secret}`;
    await alerts.post(JSON.stringify(payload), { "content-type": "application/json", authorization, ...headers });
  }
  return {
    ...consoleViews({
      ...{ conversation, collection, document: documents.at(-1) ?? "", persona, incident },
      ...{
        widget: site.key.id,
        handover: waiting?.id,
        workspace: workspaces[0] ?? "",
        endpoint: endpoints[0] ?? "",
        channel: alerts.id,
        testSet,
        ...(testRun && { testRun }),
      },
    }),
    "alert-messages": `/console/chat/${alerts.conversation_id}`,
  };
}
