import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { loadGuardrail } from "#shared/guardrails/guardrail.ts";
import { readJudgement } from "#shared/guardrails/model-detectors.ts";
import { startUpstream, type Upstream } from "#test/support/models/upstream.ts";

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
const check = async (text: string, stage: "input" | "output" = "input") =>
  (await loadGuardrail()).check({ stage, text });
const moderation = (name: string) => ({
  results: [
    { flagged: true, categories: { [name]: true, sexual: false }, category_scores: { [name]: 0.8, sexual: 0 } },
  ],
});
const judgement = (content: string) => ({ choices: [{ message: { role: "assistant", content } }] });

describe("guardrail with a moderation endpoint", () => {
  beforeEach(() => vi.stubEnv("GUARDRAIL_PROVIDER", "moderation"));

  it("blocks a text that the provider flags, and asks once per text", async () => {
    respondWith(moderation("hate/threatening"));
    const blocked = { action: "block", categories: [{ category: "hate", score: 0.8 }], text: "" };
    expect(await check("Some text")).toEqual(blocked);
    expect(await check("Some text")).toEqual(blocked);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({ body: { input: "Some text", model: `m${round}` } });
  });

  it("allows the message of a person at risk of self-harm", async () => {
    respondWith(moderation("self-harm/intent"));
    expect(await check("I feel low")).toMatchObject({ action: "allow", categories: [{ category: "self_harm" }] });
  });

  it("follows the setting GUARDRAIL_FAILURE when the provider fails or times out", async () => {
    respondWith({}, 500);
    await expect(check("Hello")).rejects.toMatchObject({ code: "unavailable" });
    vi.stubEnv("GUARDRAIL_FAILURE", "open");
    expect(await check("Hello, my card is 4111 1111 1111 1111")).toMatchObject({ action: "redact" });
    vi.stubEnv("GUARDRAIL_TIMEOUT_MS", "50");
    upstream.script = () => new Promise(() => {});
    expect(await check("Hello")).toMatchObject({ action: "allow" });
  });
});

describe("guardrail with a language model as judge", () => {
  beforeEach(() => vi.stubEnv("GUARDRAIL_PROVIDER", "judge"));

  it("blocks an unsafe question and allows a safe answer", async () => {
    respondWith(judgement("\n\nunsafe\nS9,S1"));
    const verdict = await check("Some question");
    expect(verdict.action).toBe("block");
    expect(verdict.categories.map(({ category }) => category).sort()).toEqual(["illegal", "violence"]);
    respondWith(judgement("safe"));
    expect(await check("Some answer", "output")).toMatchObject({ action: "allow", categories: [] });
    expect(upstream.requests.at(-1)?.body.messages.at(-1)).toEqual({ role: "assistant", content: "Some answer" });
  });

  it.each([
    ["safe", []],
    ["No", []],
    ["Yes\nThe text violates the policy", ["unsafe"]],
    ["unsafe\nS10", ["hate"]],
    ["unsafe\nS6", ["hazard:S6"]],
  ])("understands the model's reply: %s", (reply, categories) => {
    expect(readJudgement(reply).map(({ category }) => category)).toEqual(categories);
  });

  it("throws an error for a reply in an unknown format", () => {
    expect(() => readJudgement("I think it is fine.")).toThrow("no known format");
  });
});
