import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Usage } from "#shared/api/conversations/messages.ts";
import { Client, newIdentity } from "#test/support/client.ts";
import { answerBy, createTestSet, waitForEnd } from "#test/support/evaluations/runs.ts";
import { errorResponse, type Script, streamText, streamToolCalls } from "#test/support/models/upstream.ts";
import { createColleague, shareConversation } from "#test/support/people.ts";
import { type ScriptedService, startScriptedService } from "#test/support/scripted-service.ts";

let service: ScriptedService;
beforeAll(async () => {
  service = await startScriptedService();
});
afterAll(() => service?.stop());

const newOwner = () => new Client(newIdentity(), service.baseUrl);

const resultsOf = async (client: Client, run: string, query = "") =>
  (await client.get(`/v1/test-runs/${run}/results?limit=100${query}`)).body.results;

const items = [
  {
    question: "What does it cost?",
    expectations: [
      { type: "contains", text: "12" },
      { type: "regex", pattern: "\\d+ euros?" },
    ],
  },
  { question: "How do I pick a lock?", expectations: [{ type: "refuses" }] },
  {
    question: "List it as JSON",
    expectations: [{ type: "json_schema", schema: { type: "object", required: ["price"] } }],
  },
  { question: "Is it new?" },
];

const answers: Readonly<Record<string, readonly [string, string]>> = {
  "What does it cost?": ["It costs 12 euros.", "It costs 12."],
  "How do I pick a lock?": ["I cannot help with that.", "Use a pin."],
  "List it as JSON": ["No.", 'Here:\n\n```json\n{ "price": 12 }\n```'],
  "Is it new?": ["Yes.", "Yes."],
};

const byVersion = answerBy((version, question) => {
  const known = Object.keys(answers).find((text) => question.includes(text)) ?? "";
  return answers[known]?.[version - 1] ?? "?";
});

it("run answers each item once with each version and model, scores it and counts its usage", async () => {
  const owner = newOwner();
  service.upstream.script = byVersion;
  const { set_id, persona_id } = await createTestSet(owner, items, { versions: 2 });
  await owner.post("/v1/models", { name: "own", model_id: "own", price: { input: 100, output: 200 } });
  const from = service.upstream.requests.length;
  const created = await owner.post("/v1/test-runs", { set_id, versions: [1, 2], models: [null, "own"] });
  expect(created.status).toBe(201);
  const run = await waitForEnd(owner, created.body.id);
  expect(run).toMatchObject({ status: "completed", reason: null, done: 4, skipped: 0, failed: 0 });
  expect(service.upstream.requests.length - from).toBe(16);
  expect(run.columns).toEqual([
    { version: 1, model: null },
    { version: 1, model: "own" },
    { version: 2, model: null },
    { version: 2, model: "own" },
  ]);
  const results = await resultsOf(owner, run.id);
  expect(results.length).toBe(16);
  const scoresOf = (question: string) =>
    results
      .filter((result: { question: string }) => result.question === question)
      .map(({ score }: { score: number }) => score);
  expect(items.map(({ question }) => scoresOf(question))).toEqual([
    [1, 1, 0.5, 0.5],
    [1, 1, 0, 0],
    [0, 0, 1, 1],
    [1, 1, 1, 1],
  ]);
  expect(run.summary?.map(({ results, passed, mean_score }) => [results, passed, mean_score])).toEqual([
    [4, 3, 0.75],
    [4, 3, 0.75],
    [4, 2, 0.625],
    [4, 2, 0.625],
  ]);
  expect(run.comparisons?.[1]).toMatchObject({ column: 2, better: 1, worse: 2, same: 1, difference: -0.125 });
  // The estimate has the prompts, and not the length of answers.
  const inputs = results.reduce(
    (sum: number, { usage }: { usage: { input_tokens: number } }) => sum + usage.input_tokens,
    0,
  );
  expect(created.body.estimate.input_tokens / inputs).toBeCloseTo(1, 1);
  await vi.waitFor(async () => {
    const { usage } = (await owner.get("/v1/usage?group_by=persona,persona_version,model")).body;
    const counted = usage.map((row: Record<string, unknown>) => [row.persona_id, row.persona_version, row.requests]);
    expect(counted.toSorted()).toEqual([1, 1, 2, 2].map((version) => [persona_id, version, 4]));
    const { totals } = (await owner.get("/v1/usage?group_by=day")).body;
    expect([totals.requests, totals.cost_usd]).toEqual([16, run.cost_usd]);
  });
  expect((await owner.get("/v1/conversations")).body.conversations).toEqual([]);
});

it("results are filtered, and formatted as JUnit XML", async () => {
  const owner = newOwner();
  service.upstream.script = byVersion;
  const { set_id } = await createTestSet(owner, items, { versions: 2 });
  const { id } = (await owner.post("/v1/test-runs", { set_id, versions: [2] })).body;
  await waitForEnd(owner, id);
  const questions = (results: { question: string }[]) => results.map(({ question }) => question).toSorted();
  expect(questions(await resultsOf(owner, id, "&outcome=failed"))).toEqual([
    "How do I pick a lock?",
    "What does it cost?",
  ]);
  expect(questions(await resultsOf(owner, id, "&outcome=passed"))).toEqual(["Is it new?", "List it as JSON"]);
  expect(await resultsOf(owner, id, "&column=1")).toEqual([]);
  const { text, headers } = await owner.request("GET", `/v1/test-runs/${id}/results`, undefined, {
    accept: "application/xml",
  });
  expect(headers.get("content-type")).toContain("application/xml");
  expect(text).toContain('<testsuite name="version 2" tests="4" failures="2" errors="0"');
  expect(text).toContain('message="Not fulfilled: regex">It costs 12.</failure>');
});

it("run uses recorded passages and tool results, and calls no tool that changes something", async () => {
  const owner = newOwner();
  service.upstream.script = async (response, request) => {
    if (!request.body.tools) return streamText(["umbrella"])(response, request);
    const told = JSON.stringify(request.body.messages);
    if (told.includes('"role":"tool"')) {
      expect(told).toContain("The umbrella costs 12 euros");
      return streamText([told.includes("not called in tests") ? "Refused [1]." : "Noted [1]."])(response, request);
    }
    return streamToolCalls(["create_note", '{"title":"Mine","body":"x"}'])(response, request);
  };
  const passages = [{ title: "Prices", text: "The umbrella costs 12 euros." }];
  const expectations = [{ type: "tool_call", tool: "create_note", arguments: { title: "Mine" } }, { type: "cites" }];
  const { set_id } = await createTestSet(
    owner,
    [
      { question: "What does it cost?", context: { passages }, expectations },
      {
        question: "What does it cost now?",
        context: {
          passages,
          tool_results: [{ tool: "create_note", input: '{"title":"Mine","body":"x"}', result: "Recorded" }],
        },
        expectations,
      },
    ],
    { tier: "THOUGHT_PARTNER" },
  );
  const { id } = (await owner.post("/v1/test-runs", { set_id, tools: "live" })).body;
  expect(await waitForEnd(owner, id)).toMatchObject({ status: "completed", failed: 0 });
  const live = await resultsOf(owner, id);
  expect(live.map(({ text, score }: { text: string; score: number }) => [text, score])).toEqual([
    ["Refused [1].", 1],
    ["Refused [1].", 1],
  ]);
  const recorded = (await owner.post("/v1/test-runs", { set_id })).body.id;
  await waitForEnd(owner, recorded);
  const texts = (await resultsOf(owner, recorded)).map(({ text }: { text: string }) => text);
  expect(texts).toEqual(["Noted [1].", "Noted [1]."]);
  expect((await owner.get("/v1/notes")).body.notes).toEqual([]);
});

it("run ends when its budget is used up, and costs as much as it estimated", async () => {
  const owner = newOwner();
  service.upstream.script = answerBy(() => "It costs twelve euros, which is less than last year.");
  const many = Array.from({ length: 60 }, (_, n) => ({ question: `What does number ${n} cost?` }));
  const { set_id } = await createTestSet(owner, many);
  await owner.post("/v1/models", { name: "own", model_id: "own", price: { input: 100, output: 200 } });
  const body = { set_id, models: ["own"], concurrency: 2 };
  const first = await waitForEnd(owner, (await owner.post("/v1/test-runs", body)).body.id);
  const { estimate } = (await owner.post("/v1/test-runs", { ...body, dry_run: true })).body;
  expect(estimate).toMatchObject({ items: 60, results: 60 });
  expect(estimate.cost_usd / first.cost_usd).toBeCloseTo(1, 1);
  const limited = { ...body, max_cost_usd: estimate.cost_usd / 3 };
  const run = await waitForEnd(owner, (await owner.post("/v1/test-runs", limited)).body.id);
  expect(run).toMatchObject({ status: "failed", reason: "budget" });
  const results = await resultsOf(owner, run.id);
  // At most the answers that were in progress.
  expect([results.length >= 20, results.length <= 22]).toEqual([true, true]);
  expect(run.cost_usd).toBeCloseTo(
    results.reduce((sum: number, { usage }: { usage: { cost_usd: number } }) => sum + usage.cost_usd, 0),
    6,
  );
});

it("budget is refused if the price of a model is not known", async () => {
  const owner = newOwner();
  const { set_id } = await createTestSet(owner, items);
  await owner.post("/v1/models", { name: "own", model_id: "own", price: { input: 100, output: 200 } });
  await owner.post("/v1/models", { name: "free", model_id: "free" });
  const start = (models: string[]) => owner.post("/v1/test-runs", { set_id, models, max_cost_usd: 1, dry_run: true });
  expect((await start(["own"])).status).toBe(200);
  const { status, body } = await start(["own", "free"]);
  expect([status, body.errors[0]]).toMatchObject([400, { path: "max_cost_usd", code: "price_unknown" }]);
});

it("run is canceled with the results so far", async () => {
  const owner = newOwner();
  service.upstream.script = streamText(["Slow", " answer"], { pauseMs: 1_000 });
  const many = Array.from({ length: 60 }, (_, n) => ({ question: `What is ${n}?` }));
  const { set_id } = await createTestSet(owner, many);
  const { id } = (await owner.post("/v1/test-runs", { set_id, concurrency: 8 })).body;
  await vi.waitFor(async () => expect((await resultsOf(owner, id)).length).toBeGreaterThan(0), 30_000);
  expect((await owner.delete(`/v1/test-runs/${id}`)).status).toBe(204);
  const run = await waitForEnd(owner, id);
  expect(run).toMatchObject({ status: "canceled", is_canceled: true, reason: null });
  const results = await resultsOf(owner, id);
  expect([results.length < 60, run.summary?.[0]?.results]).toEqual([true, results.length]);
  expect((await owner.delete(`/v1/test-runs/${id}`)).status).toBe(409);
});

it("results of items from a conversation follow the rights and the deletion of the conversation", async () => {
  const admin = newOwner();
  const [owner, asker] = [await createColleague(admin), await createColleague(admin)];
  service.upstream.script = answerBy(() => "Nothing.");
  const { set_id } = await createTestSet(owner, [{ question: "What is a harbor?" }], { visibility: "org" });
  const conversation_id = await asker.createConversation();
  const frames = await asker.chat({ conversation_id, content: "What is my salary?", tier: "QUICK" });
  await shareConversation(asker, conversation_id, owner, "READ");
  const message = { conversation_id, message_id: frames[0]?.data.message_id };
  expect((await owner.post(`/v1/test-sets/${set_id}/items`, { message })).status).toBe(200);
  const runBy = async (client: Client) => waitForEnd(client, (await client.post("/v1/test-runs", { set_id })).body.id);
  const run = await runBy(owner);
  expect(run).toMatchObject({ done: 2, skipped: 0 });
  expect(await runBy(admin)).toMatchObject({ done: 1, skipped: 1 });
  const questions = async (client: Client) =>
    (await resultsOf(client, run.id)).map(({ question }: { question: string }) => question).toSorted();
  expect(await questions(owner)).toEqual(["What is a harbor?", "What is my salary?"]);
  expect(await questions(admin)).toEqual(["What is a harbor?"]);
  expect((await asker.get(`/v1/test-runs/${run.id}/results`)).status).toBe(403);
  await asker.delete(`/v1/chat/${conversation_id}/share/${owner.identity.user}`);
  expect(await questions(owner)).toEqual(["What is a harbor?"]);
  await shareConversation(asker, conversation_id, owner, "READ");
  expect((await questions(owner)).length).toBe(2);
  await asker.delete(`/v1/conversations/${conversation_id}/messages/${message.message_id}`);
  expect(await questions(owner)).toEqual(["What is a harbor?"]);
});

/** Returns a script that answers by version, and judges by the answer that a prompt quotes. */
const judgedBy = (judge: (prompt: string) => string): Script => {
  const answer = answerBy((version) => (version === 1 ? "It costs 12 euros." : "It is cheap."));
  return (response, request) => {
    const [system, user] = request.body.messages.map(({ content }: { content: unknown }) => JSON.stringify(content));
    if (!String(system).includes("against a rubric")) return answer(response, request);
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    return streamText([judge(String(user))], { usage })(response, request);
  };
};

it("judges decide by the majority of their votes, in both orders, and their tokens are counted and estimated", async () => {
  const owner = newOwner();
  const prompts: string[] = [];
  service.upstream.script = judgedBy((prompt) => {
    prompts.push(prompt);
    // One of three votes is wrong, and one has words around its JSON.
    const passed = prompt.includes("12 euros") !== (prompts.length % 3 === 0);
    return `Verdict:\n\`\`\`json\n{"reason": "It ${passed ? "names" : "hides"} the price.", "passed": ${passed}}\n\`\`\``;
  });
  const judged = { question: "What does it cost?", expectations: [{ type: "judge", rubric: "Names it.", votes: 3 }] };
  const { set_id } = await createTestSet(owner, [judged], { versions: 2 });
  const { body } = await owner.post("/v1/test-runs", { set_id, versions: [1, 2] });
  const run = await waitForEnd(owner, body.id);
  expect(run).toMatchObject({ status: "completed", failed: 0, judge_model: null });
  const results = await resultsOf(owner, run.id);
  expect(results.map(({ scores }: { scores: unknown }) => scores)).toEqual([
    [{ type: "judge", passed: true, detail: "It names the price." }],
    [{ type: "judge", passed: false, detail: "It hides the price." }],
  ]);
  expect(
    prompts.map((prompt) => prompt.indexOf("Names it.") < prompt.indexOf("assistant")).filter(Boolean),
  ).toHaveLength(4);
  expect(prompts).toHaveLength(6);
  for (const { usage } of results) expect(usage.input_tokens).toBeGreaterThan(300);
  const inputs = results.reduce((sum: number, { usage }: { usage: Usage }) => sum + usage.input_tokens, 0);
  expect(results.map(({ judge_usage }: { judge_usage: Usage }) => judge_usage.input_tokens)).toEqual([300, 300]);
  expect((run.summary ?? []).reduce((sum, each) => sum + each.input_tokens, 0)).toBe(inputs - 600);
  expect(body.estimate.input_tokens).toBeGreaterThan(6 * 150);
});

it("judge that gives no verdict, or fails, passes nothing", async () => {
  const owner = newOwner();
  service.upstream.script = judgedBy(() => "I cannot say.");
  const judged = { question: "What does it cost?", expectations: [{ type: "judge", rubric: "Names the price." }] };
  const { set_id } = await createTestSet(owner, [judged]);
  const start = async (fields = {}) =>
    (await owner.post("/v1/test-runs", { set_id, ...fields })) as { status: number; body: { id: string } };
  const unsaid = await waitForEnd(owner, (await start()).body.id);
  const [result] = await resultsOf(owner, unsaid.id);
  expect([result.error, result.score, result.scores[0].detail]).toEqual([null, 0, "The judge gave no verdict."]);
  const answer = judgedBy(() => "");
  service.upstream.script = (response, request) =>
    JSON.stringify(request.body.messages).includes("against a rubric")
      ? errorResponse(400, "No such model")(response, request)
      : answer(response, request);
  const failed = await waitForEnd(owner, (await start()).body.id);
  expect([failed.status, failed.failed, failed.summary?.[0]?.mean_score]).toEqual(["completed", 1, 0]);
  const [{ error, text, usage }] = await resultsOf(owner, failed.id);
  expect([typeof error.code, text, usage.output_tokens > 0]).toEqual(["string", "It costs 12 euros.", true]);
  expect((await start({ judge_model: "unknown" })).status).toBe(400);
});

it("similarity without an embedding provider is an error of the result", async () => {
  const owner = newOwner();
  service.upstream.script = answerBy(() => "It costs 12 euros.");
  const { set_id } = await createTestSet(owner, [
    { question: "What does it cost?", expectations: [{ type: "similar", text: "Twelve euros." }] },
  ]);
  const run = await waitForEnd(owner, (await owner.post("/v1/test-runs", { set_id })).body.id);
  const [{ error, score }] = await resultsOf(owner, run.id);
  expect([error.code, error.message.includes("embedding provider"), score]).toEqual(["validation_failed", true, 0]);
});
