import * as v from "valibot";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type GuardrailAction,
  GuardrailPolicy,
  guardrailCategories,
  guardrailPlaces,
} from "#shared/api/governance/guardrail-policy.ts";
import { loadGuardrail } from "#shared/guardrails/guardrail.ts";
import { readJudgement } from "#shared/guardrails/model-detectors.ts";
import { jsonResponse, startUpstream, type Upstream } from "#test/support/models/upstream.ts";

let upstream: Upstream;
let round = 0;

beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.stop());
beforeEach(() => {
  upstream.requests.length = 0;
  // Each test uses another model, because findings are cached.
  const settings = {
    GUARDRAIL_BASE_URL: upstream.baseUrl,
    GUARDRAIL_API_KEY: "sk-guard",
    GUARDRAIL_TIMEOUT_MS: "5000",
    GUARDRAIL_FAILURE: "closed",
    LOG_LEVEL: "error",
    GUARDRAIL_MODEL: `m${++round}`,
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const respondWith = (body: unknown, status = 200) => {
  upstream.script = async (response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
};
/** Returns the policy with the same action for all categories and places. */
const policyOf = (action: GuardrailAction, others: object = {}) => {
  const places = Object.fromEntries(guardrailPlaces.map((place) => [place, action]));
  const actions = Object.fromEntries(guardrailCategories.map((category) => [category, places]));
  return v.parse(GuardrailPolicy, { actions, ...others });
};
const strict = policyOf("block");
const check = async (text: string, stage: "input" | "output" = "input", policy?: GuardrailPolicy) =>
  (await loadGuardrail(policy)).check({ stage, text });
const moderation = (name: string) => ({
  results: [
    { flagged: true, categories: { [name]: true, sexual: false }, category_scores: { [name]: 0.8, sexual: 0 } },
  ],
});
const judgement = (content: string) => ({ choices: [{ message: { role: "assistant", content } }] });

describe("guardrail with a moderation endpoint", () => {
  beforeEach(() => vi.stubEnv("GUARDRAIL_PROVIDER", "moderation"));

  it("guardrail with a moderation endpoint blocks a text that the provider flags if the policy says so, and asks once per text", async () => {
    respondWith(moderation("hate/threatening"));
    const blocked = { action: "block", categories: [{ category: "hate", score: 0.8 }], rules: [], text: "" };
    expect(await check("Some text", "input", strict)).toEqual(blocked);
    expect(await check("Some text", "input", strict)).toEqual(blocked);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({ body: { input: "Some text", model: `m${round}` } });
  });

  it("guardrail with a moderation endpoint allows the message of a person at risk of self-harm", async () => {
    respondWith(moderation("self-harm/intent"));
    expect(await check("I feel low")).toMatchObject({ action: "allow", categories: [{ category: "self_harm" }] });
  });

  it("guardrail with a moderation endpoint checks all parts of a long text", async () => {
    upstream.script = async (response, request) => {
      const safe = { results: [{ categories: {}, category_scores: {} }] };
      const isViolent = request.body.input.includes("violent end");
      await jsonResponse(isViolent ? moderation("violence") : safe)(response, request);
    };
    const parts = Array.from({ length: 6 }, (_, part) => `${"Long ago. ".repeat(2_000)} Part ${part}.`);
    const text = `${parts.join(" ")} A violent end`;
    const verdict = await check(text, "input", strict);
    expect(verdict).toMatchObject({ action: "block", categories: [{ category: "violence" }] });
    expect(upstream.requests.reduce((sum, { body }) => sum + body.input.length, 0)).toBe(text.length);
    expect(text.length).toBeGreaterThan(100_000);
  });

  it("guardrail with a moderation endpoint follows the setting GUARDRAIL_FAILURE when the provider fails or times out", async () => {
    respondWith({}, 500);
    await expect(check("Hello")).rejects.toMatchObject({ code: "unavailable" });
    vi.stubEnv("GUARDRAIL_FAILURE", "open");
    expect(await check("Hello, my card is 4111 1111 1111 0535")).toMatchObject({ action: "redact" });
    vi.stubEnv("GUARDRAIL_TIMEOUT_MS", "50");
    upstream.script = () => new Promise(() => {});
    expect(await check("Hello")).toMatchObject({ action: "allow" });
  });

  it("guardrail with a moderation endpoint follows the policy's on_provider_failure instead of GUARDRAIL_FAILURE when the provider fails", async () => {
    respondWith({}, 500);
    expect(await check("Hello", "input", policyOf("flag", { on_provider_failure: "allow" }))).toMatchObject({
      action: "allow",
    });
    vi.stubEnv("GUARDRAIL_FAILURE", "open");
    const closed = check("Hello", "input", policyOf("flag", { on_provider_failure: "block" }));
    await expect(closed).rejects.toMatchObject({ code: "unavailable" });
  });
});

describe("guardrail with a language model as judge", () => {
  beforeEach(() => vi.stubEnv("GUARDRAIL_PROVIDER", "judge"));

  it("guardrail with a language model as judge blocks an unsafe question and allows a safe answer", async () => {
    respondWith(judgement("\n\nunsafe\nS9,S1"));
    const verdict = await check("Some question", "input", strict);
    expect(verdict.action).toBe("block");
    expect(verdict.categories.map(({ category }) => category).sort()).toEqual(["illegal", "violence"]);
    respondWith(judgement("safe"));
    expect(await check("Some answer", "output")).toMatchObject({ action: "allow", categories: [] });
    expect(upstream.requests.at(-1)?.body.messages.at(-1)).toEqual({ role: "assistant", content: "Some answer" });
  });

  it("guardrail with a language model as judge leaves the decision about an unsafe text to the policy", async () => {
    for (const reply of ["unsafe\nS1", "unsafe", "unsafe\nS6", "Yes"]) {
      vi.stubEnv("GUARDRAIL_MODEL", `${reply} ${round}`);
      respondWith(judgement(reply));
      expect(await check("Some text", "input", strict)).toMatchObject({ action: "block" });
      expect(await check("Some text", "input", policyOf("flag"))).toMatchObject({ action: "allow" });
      expect(await check("Some text", "input", policyOf("off"))).toMatchObject({ action: "allow", categories: [] });
    }
    expect(upstream.requests).toHaveLength(4);
    const mixed = v.parse(GuardrailPolicy, { actions: { sexual: { question: "block" } } });
    expect(await check("Some text", "input", mixed)).toMatchObject({ action: "block" });
  });

  it("guardrail with a language model as judge redacts only detected personal data, not a whole text that the judge considers private", async () => {
    respondWith(judgement("unsafe\nS7"));
    expect(await check("Who lives there? Card 4111 1111 1111 0535")).toMatchObject({
      action: "redact",
      categories: [{ category: "personal_data" }],
      text: "Who lives there? Card [card number]",
    });
  });

  it("guardrail with a language model as judge receives the question with the answer that it judges", async () => {
    respondWith(judgement("safe"));
    const guardrail = await loadGuardrail();
    await guardrail.check({ stage: "output", question: "Is it safe?", text: "Yes." });
    expect(upstream.requests[0]?.body.messages).toEqual([
      { role: "user", content: "Is it safe?" },
      { role: "assistant", content: "Yes." },
    ]);
  });

  it("guardrail with a language model as judge asks ShieldGemma about each of its guidelines", async () => {
    vi.stubEnv("GUARDRAIL_MODEL", `google/shieldgemma-9b-${round}`);
    upstream.script = async (response, request) => {
      const isHate = request.body.chat_template_kwargs.guideline.startsWith('"No Hate Speech": The prompt shall not');
      await jsonResponse(judgement(isHate ? "Yes" : "No"))(response, request);
    };
    expect(await check("Some text", "input", strict)).toMatchObject({
      action: "block",
      categories: [{ category: "hate" }],
    });
    expect(upstream.requests).toHaveLength(5);
  });

  it.each([
    ["safe", []],
    ["No", []],
    ["Yes\nThe text violates the policy", ["unsafe"]],
    ["unsafe\nS10", ["hate"]],
    ["unsafe\nS6", ["unsafe:S6"]],
  ])("guardrail with a language model as judge understands the model's reply: %s", (reply, categories) => {
    expect(readJudgement(reply).map(({ category }) => category)).toEqual(categories);
  });

  it("guardrail with a language model as judge throws an error for a reply in an unknown format", () => {
    expect(() => readJudgement("I think it is fine.")).toThrow("no known format");
  });
});
