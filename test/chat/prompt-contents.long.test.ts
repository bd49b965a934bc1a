import { afterAll, beforeAll, expect, it } from "vitest";
import { Client, newIdentity } from "#test/support/client.ts";
import { errorResponse, startUpstream, streamText, type Upstream } from "#test/support/models/upstream.ts";
import { type Switchboard, startSwitchboard } from "#test/support/switchboard.ts";
import { createChannel, hmacHex } from "#test/support/webhooks/channel.ts";

interface PromptMessage {
  readonly role: string;
  readonly content: string;
}

let upstream: Upstream;
let service: Switchboard;
let client: Client;
let answerCount = 0;

beforeAll(async () => {
  upstream = await startUpstream();
  // Answers of QUICK come from a model with a window of 8,192 tokens, those of THINKING from one with 128,000.
  const MODELS = JSON.stringify({
    providers: { main: { type: "openai-compatible", base_url: upstream.baseUrl } },
    models: {
      small: { provider: "main", context_tokens: 8_192 },
      large: { provider: "main", context_tokens: 128_000 },
    },
    tiers: { default: "large", QUICK: "small" },
  });
  service = await startSwitchboard({ env: { MODELS } });
  client = new Client(newIdentity(), service.baseUrl);
});

afterAll(async () => {
  await service?.stop();
  await upstream?.stop();
});

const answerWithNumber = () => {
  upstream.script = (response, request) => streamText([`Answer ${++answerCount}.`])(response, request);
};

/** Sends a turn and returns the ids of its question and its answer. */
async function send(conversation_id: string, fields: Record<string, unknown>) {
  const frames = await client.chat({ conversation_id, tier: "THINKING", ...fields });
  const { message_id, user_message_id } = frames[0]?.data ?? {};
  return { answer: message_id as string, question: user_message_id as string };
}

/** Returns the prompt of the last turn; a summary is written after its answer. */
const lastPrompt = (): PromptMessage[] => {
  const prompts = upstream.requests.map(({ body }): PromptMessage[] => body.messages);
  return prompts.findLast(([system]) => !system?.content.startsWith("You keep the summary")) ?? [];
};

/** Contents of the last prompt after the instructions, without the date. */
const lastTexts = () =>
  lastPrompt()
    .slice(1)
    .map(({ role, content }) => `${role[0]}: ${content.replace(/^\(Today is .*\)\n\n/, "")}`);

/** Returns pairs of adjacent messages with the same role. */
const repeatedRoles = (prompt: readonly PromptMessage[]) =>
  prompt.filter(({ role }, index) => index > 0 && prompt[index - 1]?.role === role);

it("prompt of a turn contains only one answer to a question that was answered again", async () => {
  answerWithNumber();
  const id = await client.createConversation();
  let { answer } = await send(id, { content: "First?" });
  const numbers = [answerCount];
  for (let n = 0; n < 2; n++) {
    ({ answer } = await send(id, { regenerate_message_id: answer }));
    numbers.push(answerCount);
  }
  await send(id, { content: "Second?" });
  expect(lastTexts()).toEqual(["u: First?", `a: Answer ${numbers.at(-1)}.`, "u: Second?"]);
});

it("prompt of a turn follows an edited question and the branch that a reader chooses", async () => {
  answerWithNumber();
  const id = await client.createConversation();
  const first = await send(id, { content: "One?" });
  const second = await send(id, { content: "Two?" });
  await send(id, { content: "Uno?", edit_message_id: first.question });
  await send(id, { content: "Tres?" });
  expect(lastTexts().filter((text) => text.startsWith("u"))).toEqual(["u: Uno?", "u: Tres?"]);
  const { body } = await client.patch(`/v1/conversations/${id}`, { active_message_id: second.answer });
  expect(body).toMatchObject({ active_message_id: second.answer, has_branches: true });
  const { text: transcript } = await client.post(`/v1/conversations/${id}/export`, { format: "markdown" });
  expect([transcript.includes("Two?"), transcript.includes("Uno?")]).toEqual([true, false]);
  await send(id, { content: "Three?" });
  expect(lastTexts().filter((text) => text.startsWith("u"))).toEqual(["u: One?", "u: Two?", "u: Three?"]);
  await send(id, { content: "Two again?", after_message_id: first.answer });
  expect(lastTexts().filter((text) => text.startsWith("u"))).toEqual(["u: One?", "u: Two again?"]);
});

it("prompt of a turn contains a question once although it failed twice, and omits the text of a question that the provider refused", async () => {
  const id = await client.createConversation();
  upstream.script = errorResponse(503, "down");
  for (let n = 0; n < 2; n++) await send(id, { content: "What is the fare to Oslo?" });
  upstream.script = errorResponse(400, "The content was filtered");
  await send(id, { content: "Poisonous words" });
  answerWithNumber();
  await send(id, { content: "Next?" });
  const text = lastTexts().join("\n");
  expect(text.match(/fare to Oslo/g)).toHaveLength(1);
  expect([text.includes("Poisonous"), text.includes("refused")]).toEqual([false, true]);
  expect(repeatedRoles(lastPrompt())).toEqual([]);
});

it("prompt of a turn contains the thread of its question with the alert of the thread and the alert's state", async () => {
  answerWithNumber();
  const { post, conversation_id: id, registration } = await createChannel({}, client);
  const { secret = "" } = registration;
  for (let n = 0; n < 45; n++) {
    const raw = JSON.stringify({
      title: `Disk ${n} is full`,
      description: "Noise",
      severity: "low",
      alert_id: `a${n}`,
    });
    await post(raw, { "x-webhook-signature": hmacHex(secret, raw) });
  }
  const { body } = await client.get(`/v1/conversations/${id}/messages?limit=100`);
  const alert = body.messages.find(({ content }: { content: unknown }) =>
    JSON.stringify(content).includes("Disk 3 is"),
  );
  await send(id, { content: "Who owns it?", parent_message_id: alert.message_id });
  const owner = `Answer ${answerCount}.`;
  await send(id, { content: "Since when?", parent_message_id: alert.message_id });
  const texts = lastTexts().join("\n");
  expect(texts).toMatch(/thread of the alert[\s\S]*Disk 3 is full[\s\S]*Who owns it\?[\s\S]*Since when\?$/);
  expect(texts).toContain(owner);
  await send(id, { content: "What happened?" });
  const main = lastTexts().join("\n");
  expect(main).toContain("replies in the thread of the message above");
  expect(main).not.toContain("Who owns it?");
});

it("prompt of a turn lets a conversation continue beyond the model's context window", async () => {
  const id = await client.createConversation();
  upstream.script = streamText(["word ".repeat(300)]);
  const lengths: number[] = [];
  for (let n = 0; n < 20; n++) {
    const frames = await client.chat({ conversation_id: id, tier: "QUICK", content: `${n} ${"text ".repeat(500)}` });
    expect(frames.at(-1)?.event).toBe("done");
    expect(JSON.stringify(lastPrompt()).length).toBeLessThan(8_192 * 4);
    expect(repeatedRoles(lastPrompt())).toEqual([]);
    lengths.push(lastPrompt().length);
  }
  // Each of these turns takes almost a third of the window, so that a summary is written after every second one.
  expect(Math.max(...lengths.slice(-2))).toBeGreaterThan(5);
});

it("prompt of a turn recalls facts from omitted early messages by a summary that is counted and exported, or because the question names them", async () => {
  client = new Client(newIdentity(), service.baseUrl);
  const id = await client.createConversation();
  const cities = ["Oslo", "Lima", "Quito", "Hanoi", "Dakar", "Turin", "Porto", "Malmö", "Ghent", "Cork"];
  upstream.script = (response, request) => {
    const isSummary = request.body.messages[0].content.startsWith("You keep the summary");
    return streamText([isSummary ? "- The summary." : "Understood. ".repeat(30)])(response, request);
  };
  for (let n = 0; n < 50; n++) {
    const fact = n % 5 === 0 ? `The fare to ${cities[n / 5]} is ${1_000 + n} crowns.` : `Filler ${"words ".repeat(80)}`;
    await send(id, { content: fact, tier: "QUICK" });
  }
  const { body: summary } = await client.get(`/v1/conversations/${id}/summary`);
  expect(summary).toMatchObject({ text: "- The summary.", until_id: expect.any(String) });
  let found = 0;
  for (const [index, city] of cities.entries()) {
    await send(id, { content: `What was the fare to ${city}?`, tier: "QUICK" });
    if (JSON.stringify(lastPrompt()).includes(`${1_000 + index * 5} crowns`)) found++;
    expect(JSON.stringify(lastPrompt())).toContain("- The summary.");
    expect(repeatedRoles(lastPrompt())).toEqual([]);
  }
  expect(found).toBe(cities.length);
  const { body: exported } = await client.post(`/v1/conversations/${id}/export`, { format: "json" });
  expect(exported.summary).toMatchObject({ text: "- The summary." });
  // The provider reports 5 tokens for each call, summaries included; the last one is written after its answer.
  const uncounted = async () => {
    const { output_tokens, requests } = (await client.get("/v1/usage")).body.totals;
    const calls = upstream.requests.filter(({ body }) => /crowns|Filler/.test(JSON.stringify(body)));
    return { requests, tokens: 5 * calls.length - output_tokens };
  };
  await expect.poll(uncounted).toEqual({ requests: 60, tokens: 0 });
  const { body: first } = await client.get(`/v1/conversations/${id}/messages?limit=1`);
  const path = `/v1/conversations/${id}/messages/${first.messages[0].message_id}`;
  const summaryStatus = async () => (await client.get(`/v1/conversations/${id}/summary`)).status;
  expect((await client.patch(path, { content: "The fare is secret." })).status).toBe(200);
  expect(await summaryStatus()).toBe(404);
  await send(id, { content: "And now?", tier: "QUICK" });
  await expect.poll(summaryStatus).toBe(200);
  expect((await client.delete(path)).status).toBe(204);
  expect(await summaryStatus()).toBe(404);
});

it("prompt of a turn contains the earlier conversation and both ends of a message that is longer than the model's context window", async () => {
  const id = await client.createConversation();
  answerWithNumber();
  await send(id, { content: "The code word is Larkspur.", tier: "QUICK" });
  await send(id, { content: `Read this. ${"filler ".repeat(4_400)} That was all.`, tier: "QUICK" });
  await send(id, { content: "And now?", tier: "QUICK" });
  const texts = lastTexts().join("\n");
  expect(texts).toContain("Larkspur");
  expect(texts).toMatch(/Read this\. filler.*characters are left out here.*That was all\./s);
  expect(texts.length).toBeLessThan(8_192 * 4);
});

it("prompt of a turn is shortened when the provider refuses it as too long", async () => {
  const id = await client.createConversation();
  upstream.script = streamText(["word ".repeat(300)]);
  for (let n = 0; n < 6; n++) await send(id, { content: `${n} ${"text ".repeat(400)}` });
  const maxLength = JSON.stringify(lastPrompt()).length * 0.7;
  upstream.script = async (response, request) => {
    const isTooLong = JSON.stringify(request.body.messages).length > maxLength;
    const script = isTooLong
      ? errorResponse(400, "This model's maximum context length is 4096 tokens.")
      : streamText(["Ok."]);
    await script(response, request);
  };
  const { answer } = await send(id, { content: "And?" });
  const { body } = await client.get(`/v1/conversations/${id}/messages?order=desc&limit=1`);
  expect(body.messages[0]).toMatchObject({ message_id: answer, status: "complete" });
});

it("prompt of a turn has both ends of a question that exceeds the window, with a warning", async () => {
  answerWithNumber();
  const id = await client.createConversation();
  await send(id, { content: "The code word is Larkspur.", tier: "QUICK" });
  const content = `What does this mean? ${"量子力学の授業は毎週火曜日です。".repeat(1_900)} I need two sentences.`;
  const frames = await client.chat({ conversation_id: id, tier: "QUICK", content });
  expect(frames.filter(({ data }) => data.code === "question_trimmed")).toHaveLength(1);
  expect(frames.at(-1)?.event).toBe("done");
  const texts = lastTexts().join("\n");
  expect(texts).toMatch(
    /Larkspur[\s\S]*What does this mean\?[\s\S]*characters are left out here[\s\S]*two sentences\./,
  );
  expect(texts.length).toBeLessThan(8_192);
});

it("prompt of a turn that the provider rejects at any length fails with an error that names the question", async () => {
  const id = await client.createConversation();
  upstream.script = errorResponse(400, "This model's maximum context length is 4096 tokens.");
  const frames = await client.chat({ conversation_id: id, tier: "QUICK", content: "text ".repeat(6_000) });
  expect(frames.at(-1)?.data).toMatchObject({ code: "context_length_exceeded" });
  expect(frames.at(-1)?.data.message).toMatch(/^The message is too long/);
});

it("prompt of a turn has the whole instructions of a persona, which are refused when they cannot fit into the window", async () => {
  answerWithNumber();
  const base = { name: "Clerk", model: "small", visibility: "private" };
  const { status, body } = await client.post("/v1/personas", {
    ...base,
    instructions: "量子力学の授業です。".repeat(1_590),
  });
  expect([status, body.errors]).toEqual([400, [expect.objectContaining({ path: "instructions", code: "too_long" })]]);
  const instructions = "Be kind to the guests of the hotel. ".repeat(440).trim();
  const { body: persona } = await client.post("/v1/personas", { ...base, instructions });
  const { body: conversation } = await client.post("/v1/conversations", { title: "Hotel", persona_id: persona.id });
  const { id } = conversation;
  const frames = await client.chat({ conversation_id: id, tier: "QUICK", content: "When is breakfast?" });
  expect(frames.at(-1)?.event).toBe("done");
  expect(lastPrompt()[0]?.content).toContain(instructions);
  expect(lastTexts().at(-1)).toContain("When is breakfast?");
  const update = { instructions: "量子力学の授業です。".repeat(1_590) };
  expect((await client.patch(`/v1/personas/${persona.id}`, update)).status).toBe(400);
});

it("prompt of a turn has at least 85 % of the tokens that the window leaves before anything is cut, if the provider counts them", async () => {
  const id = await client.createConversation();
  const filler = "The weather was calm and the crew painted the deck again. ";
  const countTokens = (messages: readonly PromptMessage[]) =>
    Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4.5);
  upstream.script = (response, request) => {
    const prompt_tokens = countTokens(request.body.messages);
    const usage = { prompt_tokens, completion_tokens: 80, total_tokens: prompt_tokens + 80 };
    return streamText([filler.repeat(6)], { usage })(response, request);
  };
  await send(id, { content: "The code word is Larkspur.", tier: "QUICK" });
  let before = 0;
  for (let n = 0; n < 60; n++) {
    await send(id, { content: `${n} ${filler.repeat(5)}`, tier: "QUICK" });
    if (!lastTexts()[0]?.includes("Larkspur")) break;
    before = countTokens(lastPrompt());
  }
  expect(lastTexts()[0]).not.toContain("Larkspur");
  // A quarter of the window of 8,192 tokens is kept free for the answer.
  expect(before).toBeGreaterThan(8_192 * 0.75 * 0.85);
  expect(before).toBeLessThan(8_192 * 0.75);
});

it("prompt of a thread below an answer has the question of that answer as an answered one", async () => {
  answerWithNumber();
  const id = await client.createConversation();
  const { answer } = await send(id, { content: "Where is the harbor?" });
  await send(id, { content: "How far is it?", parent_message_id: answer });
  expect(lastTexts().join("\n")).toMatch(/^u: Where is the harbor\?\n\nThe user now writes in the thread/);
});

it("prompt of a turn begins with a message of the user after the first question was deleted", async () => {
  answerWithNumber();
  const id = await client.createConversation();
  const { question } = await send(id, { content: "Where is the harbor?" });
  const first = answerCount;
  await send(id, { content: "Who sells tickets?" });
  await client.delete(`/v1/conversations/${id}/messages/${question}`);
  await send(id, { content: "And now?" });
  expect(lastTexts().slice(0, 3)).toEqual([
    "u: (What the following message answers is left out here.)",
    `a: Answer ${first}.`,
    "u: Who sells tickets?",
  ]);
});

it("prompt of a turn shares at least 85 % of its text with the prompt of the turn before, so that providers can cache it", async () => {
  const id = await client.createConversation();
  let shared = 0;
  let total = 0;
  let before = "";
  for (let n = 0; n < 30; n++) {
    upstream.script = streamText([`${n} ${"because ".repeat(60)}`]);
    await send(id, { content: `${n} ${"why ".repeat(30)}` });
    const text = JSON.stringify(lastPrompt());
    let common = 0;
    while (common < text.length && text[common] === before[common]) common++;
    if (n > 0) {
      shared += common;
      total += text.length;
    }
    before = text;
  }
  expect(shared / total).toBeGreaterThan(0.85);
});
