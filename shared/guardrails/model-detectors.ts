import { createHash } from "node:crypto";
import * as v from "valibot";
import type { GuardrailCategory } from "../api/governance/guardrail-policy.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { log } from "../lib/log.ts";
import type { DetectedFinding, Detector } from "./types.ts";

/** Maximum number of texts whose findings are cached per execution environment, by a hash of the text. */
const MAX_CACHED_TEXTS = 1_000;

/** Maximum length of the text in one request; text beyond it is not sent to the model. */
const MAX_TEXT_CHARACTERS = 100_000;

type Judge = (text: string, isAnswer: boolean, signal: AbortSignal) => Promise<DetectedFinding[]>;

/** Sends a JSON request to the guardrail's provider. */
async function post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
  const { GUARDRAIL_BASE_URL, GUARDRAIL_API_KEY } = env("GUARDRAIL_BASE_URL", "GUARDRAIL_API_KEY");
  const response = await fetch(`${GUARDRAIL_BASE_URL.replace(/\/$/, "")}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(GUARDRAIL_API_KEY && { authorization: `Bearer ${GUARDRAIL_API_KEY}` }),
    },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok) throw new Error(`The guardrail provider responded with ${response.status}.`);
  return response.json();
}

const Moderations = v.object({
  results: v.array(
    v.object({ categories: v.record(v.string(), v.boolean()), category_scores: v.record(v.string(), v.number()) }),
  ),
});

/** Categories by the first part of the names in OpenAI's moderations, such as `hate/threatening`. */
const moderationCategories: Readonly<Record<string, GuardrailCategory>> = {
  harassment: "hate",
  hate: "hate",
  illicit: "illegal",
  "self-harm": "self_harm",
  sexual: "sexual",
  violence: "violence",
};

/** Judges a text with a moderation endpoint (https://platform.openai.com/docs/api-reference/moderations). */
const moderate: Judge = async (text, _isAnswer, signal) => {
  const { GUARDRAIL_MODEL } = env("GUARDRAIL_MODEL");
  const body = { input: text, ...(GUARDRAIL_MODEL && { model: GUARDRAIL_MODEL }) };
  const { results } = v.parse(Moderations, await post("/moderations", body, signal));
  return results.flatMap(({ categories, category_scores }) =>
    Object.entries(categories)
      .filter(([, isFlagged]) => isFlagged)
      .map(([name]) => {
        const category = moderationCategories[name.split("/")[0] ?? ""] ?? name;
        // A person who asks about self-harm needs an answer, so this finding blocks only if the tenant's policy says
        // so.
        return { category, score: category_scores[name] ?? 1, isBlocking: category !== "self_harm" };
      }),
  );
};

const Completion = v.object({ choices: v.array(v.object({ message: v.object({ content: v.string() }) })) });

/** Categories by hazard of Llama Guard 3 (https://www.llama.com/docs/model-cards-and-prompt-formats/llama-guard-3). */
const hazardCategories: Readonly<Record<string, GuardrailCategory>> = {
  S1: "violence",
  S2: "illegal",
  S3: "sexual",
  S4: "sexual",
  S7: "personal_data",
  S9: "illegal",
  S10: "hate",
  S11: "self_harm",
  S12: "sexual",
  S14: "injection",
};

/**
 * Reads the reply of a judge: `safe` or `unsafe` with a line of hazards (Llama Guard), or `Yes` and `No` for a violation
 * (ShieldGemma, https://ai.google.dev/gemma/docs/shieldgemma/model_card).
 * @throws Error if the reply has neither format
 */
export function readJudgement(reply: string): DetectedFinding[] {
  const [verdict = "", hazards = ""] = reply.trim().split(/\s*\n\s*/);
  if (/^(?:safe|no)\b/i.test(verdict)) return [];
  if (!/^(?:unsafe|yes)\b/i.test(verdict)) throw new Error("The judge's reply is in no known format.");
  const codes = hazards.match(/\bS\d{1,2}\b/g) ?? [];
  const categories = codes.map((code) => hazardCategories[code] ?? `hazard:${code}`);
  return (categories.length > 0 ? [...new Set(categories)] : ["unsafe"]).map((category) => ({
    category,
    score: 0.9,
    isBlocking: category !== "self_harm",
  }));
}

/** Judges a text with a chat model whose chat template contains the policy, such as Llama Guard. */
const judge: Judge = async (text, isAnswer, signal) => {
  const { GUARDRAIL_MODEL } = env("GUARDRAIL_MODEL");
  // Llama Guard judges the last message; an answer needs a user message before it.
  const messages = isAnswer
    ? [
        { role: "user", content: "…" },
        { role: "assistant", content: text },
      ]
    : [{ role: "user", content: text }];
  const body = { model: GUARDRAIL_MODEL, messages, temperature: 0, max_tokens: 30 };
  const { choices } = v.parse(Completion, await post("/chat/completions", body, signal));
  return readJudgement(choices[0]?.message.content ?? "");
};

const caches = { moderation: new Map<string, DetectedFinding[]>(), judge: new Map<string, DetectedFinding[]>() };

/**
 * Creates a detector that adds a model's findings to those of the local check. `GUARDRAIL_TIMEOUT_MS` limits a request;
 * `GUARDRAIL_FAILURE` determines whether a text passes (`open`) or not (`closed`) if the model cannot be asked.
 */
export function modelDetector(kind: keyof typeof caches, local: Detector): Detector {
  const ask = kind === "moderation" ? moderate : judge;
  const cache = caches[kind];

  async function findFindings(text: string, isAnswer: boolean): Promise<DetectedFinding[]> {
    const settings = env("GUARDRAIL_BASE_URL", "GUARDRAIL_MODEL", "GUARDRAIL_TIMEOUT_MS", "GUARDRAIL_FAILURE");
    const { GUARDRAIL_BASE_URL, GUARDRAIL_MODEL, GUARDRAIL_TIMEOUT_MS, GUARDRAIL_FAILURE } = settings;
    const parts = JSON.stringify([GUARDRAIL_BASE_URL, GUARDRAIL_MODEL, isAnswer, text]);
    const key = createHash("sha256").update(parts).digest("base64url");
    const cached = cache.get(key);
    if (cached) return cached;
    try {
      const findings = await ask(text, isAnswer, AbortSignal.timeout(Number(GUARDRAIL_TIMEOUT_MS)));
      const [oldest] = cache.keys();
      if (cache.size >= MAX_CACHED_TEXTS && oldest !== undefined) cache.delete(oldest);
      cache.set(key, findings);
      return findings;
    } catch (error) {
      if (GUARDRAIL_FAILURE === "open") {
        log.error("guardrail provider failed", { error });
        return [];
      }
      throw new ServiceError("unavailable", "The safety check is temporarily unavailable.", { cause: error });
    }
  }

  return {
    async detect(input) {
      const { text, place } = input;
      if (text.trim() === "") return { findings: [], spans: [] };
      const [{ findings, spans }, modelFindings] = await Promise.all([
        local.detect(input),
        findFindings(text.slice(0, MAX_TEXT_CHARACTERS), place === "answer"),
      ]);
      return { findings: [...findings, ...modelFindings], spans };
    },
  };
}
