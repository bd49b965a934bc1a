import { afterAll, beforeAll, expect, it } from "vitest";
import { defaultGuardrailPolicy } from "#shared/api/governance/guardrail-policy.ts";
import { Client, newIdentity, readFrames, streamedText } from "#test/support/client.ts";
import { setPolicy } from "#test/support/governance/policy.ts";
import { type Script, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
let client: Client;
let persona_id: string;

beforeAll(async () => {
  service = await startScriptedService();
  client = new Client(newIdentity(), service.baseUrl);
  const fields = { name: "Clerk", instructions: "Book rooms.", tier: "THINKING", tools: ["ask_user"] };
  persona_id = (await client.post("/v1/personas", fields)).body.id;
});
afterAll(() => service?.stop());

const room = {
  question: "Which room?",
  fields: [
    { label: "Room", type: "choice", options: ["Blue", "Green"] },
    { label: "Day", type: "date" },
    { label: "Extras", type: "choices", options: ["Tea", "Projector"], required: false },
    { label: "People", type: "number" },
    { label: "Public", type: "yes_no", required: false },
    { label: "Remark", required: false },
  ],
};

/** Lets the model call the tool and then answer. */
function script(input: unknown, ...more: readonly Script[]): void {
  service.upstream.requests.length = 0;
  const scripts = [streamToolCalls(["ask_user", JSON.stringify(input)]), ...more, streamText(["Done."])];
  service.upstream.script = (response, request) =>
    (request.body.stream ? (scripts.shift() ?? streamText(["Enough."])) : streamText(["Title"]))(response, request);
}

/** Returns the results of tools in the last request to the model. */
const results = (): string[] =>
  service.upstream.requests
    .at(-1)
    ?.body.messages.filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: { content: string }) => content.replaceAll(/<[^>]*>|\n/g, "")) ?? [];

/** Asks a question, reads the stream until the run pauses, and returns what the rest needs. */
async function startChat({ hasPersona = true, ...extra }: { hasPersona?: boolean; tier?: string } = {}) {
  const fields = { title: "Booking", ...(hasPersona && { persona_id }) };
  const conversation_id = (await client.post("/v1/conversations", fields)).body.id;
  const response = await client.fetch("/v1/runtime/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ conversation_id, content: "Book a room.", ...extra }),
  });
  const frames = readFrames(response);
  for (;;) {
    const { value: frame, done } = await frames.next();
    if (done) throw new Error("The run did not pause");
    if (frame.event === "preflight_warning" && frame.data.approval_id)
      return { id: frame.data.approval_id as string, warning: frame.data, finish: () => Array.fromAsync(frames) };
    if (frame.event === "done") return { id: "", warning: null, finish: async () => [frame] };
  }
}

const answer = (id: string, user: object, by = client) => by.post(`/v1/approvals/${id}/answer`, { answers: { user } });

it("assistant asks with a form, waits, and gets the answers by their labels", async () => {
  script(room);
  const { id, warning, finish } = await startChat();
  expect(warning).toMatchObject({
    code: "input_required",
    message: "The assistant asks a question. Answer it to continue, or cancel the call.",
  });
  const { body: approval } = await client.get(`/v1/approvals/${id}`);
  expect(approval.questions).toMatchObject([
    {
      ...{ server_name: null, message: "Which room?", url: null },
      fields: [
        { title: "Room", type: "choice", required: true, options: [{ value: "Blue", label: "Blue" }, {}] },
        { title: "Day", type: "text", format: "date", required: true },
        { title: "Extras", type: "choices", required: false },
        { title: "People", type: "number", required: true },
        { title: "Public", type: "boolean", required: false },
        { title: "Remark", type: "text", required: false },
      ],
    },
  ]);
  const refused = await answer(id, { action: "accept", content: { field_1: "Red", field_2: "soon" } });
  expect(refused.body.errors.map(({ path }: { path: string }) => path)).toEqual(
    [1, 2, 4].map((number) => `answers.user.content.field_${number}`),
  );
  const colleague = await createColleague(client, "admin");
  expect((await answer(id, { action: "decline" }, colleague)).status).toBe(403);
  const content = { field_1: "Green", field_2: "2026-12-24", field_3: ["Tea"], field_4: 5 };
  expect((await answer(id, { action: "accept", content })).status).toBe(200);
  expect(streamedText(await finish())).toBe("Done.");
  expect(JSON.parse(results()[0] ?? "")).toEqual({
    answered: true,
    answers: { Room: "Green", Day: "2026-12-24", Extras: ["Tea"], People: 5, Public: null, Remark: null },
  });
});

it("assistant continues without an answer if the user declines, and after a cancellation", async () => {
  script(room);
  const declined = await startChat();
  await answer(declined.id, { action: "decline" });
  expect(streamedText(await declined.finish())).toBe("Done.");
  expect(JSON.parse(results()[0] ?? "").answered).toBe(false);
  script(room);
  const cancelled = await startChat();
  await client.post(`/v1/approvals/${cancelled.id}/cancel`, {});
  expect(streamedText(await cancelled.finish())).toBe("Done.");
  expect(results()).toEqual(["The user canceled this tool call."]);
});

it("form that asks for a secret, has options for a text or the same label twice is refused, and the model is told", async () => {
  for (const [input, reason] of [
    [{ question: "Sign in.", fields: [{ label: "Password" }] }, "cannot ask for passwords"],
    [{ question: "Which?", fields: [{ label: "Color", options: ["Red", "Blue"] }] }, "options belong to"],
    [{ question: "Which?", fields: [{ label: "Color", type: "choice" }] }, "options belong to"],
    [{ question: "Which?", fields: [{ label: "A" }, { label: "A" }] }, "labels must differ"],
    [{ question: "Which?", fields: [] }, "arguments are invalid"],
  ] as const) {
    script(input);
    const { id } = await startChat();
    expect([id, results()[0]]).toEqual(["", expect.stringContaining(reason)]);
  }
});

it("question of the assistant is checked like an answer: the policy removes a part of it, or blocks it", async () => {
  const key = "sk-ant-api03-Zq8Lr5Tn2Wv9Xk4Bm7Cj1Df6Gh3Pw0Ys5Ra8Ue2Io4Ql7";
  const input = { question: `Is ${key} yours?`, fields: [{ label: "Yours", type: "yes_no" }] };
  script(input);
  const redacted = await startChat();
  const { questions } = (await client.get(`/v1/approvals/${redacted.id}`)).body;
  expect([questions[0].message.includes(key), questions[0].message]).toEqual([
    false,
    expect.stringMatching(/^Is .* yours\?$/),
  ]);
  await client.post(`/v1/approvals/${redacted.id}/cancel`, {});
  await redacted.finish();
  const { actions } = defaultGuardrailPolicy;
  const secrets = { ...actions.secrets, answer: "block" as const };
  await setPolicy(client, { guardrails: { ...defaultGuardrailPolicy, actions: { ...actions, secrets } } });
  script(input);
  const blocked = await startChat();
  expect([blocked.id, results()[0]]).toEqual(["", expect.stringContaining("does not allow this question")]);
});

it("tool to ask the user is offered in THOUGHT_PARTNER, to personas that name it in lower tiers, and not in QUICK", async () => {
  const offered = async (extra: Parameters<typeof startChat>[0]) => {
    script(room);
    service.upstream.script = streamText(["Hello."]);
    await startChat(extra);
    return JSON.stringify(service.upstream.requests.map(({ body }) => body.tools ?? [])).includes("ask_user");
  };
  expect(await offered({})).toBe(true);
  expect(await offered({ tier: "QUICK" })).toBe(false);
  expect(await offered({ hasPersona: false, tier: "THINKING" })).toBe(false);
  expect(await offered({ hasPersona: false, tier: "THOUGHT_PARTNER" })).toBe(true);
});
