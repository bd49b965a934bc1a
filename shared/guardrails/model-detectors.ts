import * as v from "valibot";
import type { GuardrailCategory, GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { env } from "../lib/env.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { postJson, readText } from "../lib/outgoing/post-to-provider.ts";
import { loadSecret } from "../lib/secrets.ts";
import { callProvider, splitText } from "./provider-call.ts";
import { type DetectedFinding, type Detector, UNSPECIFIED_HARM } from "./types.ts";

/** Maximum number of concurrent requests for one text. */
const MAX_CONCURRENT_REQUESTS = 4;

interface JudgedText {
  readonly text: string;
  readonly isAnswer: boolean;
  readonly question: string;
}

type Judge = (judged: JudgedText, signal: AbortSignal) => Promise<DetectedFinding[]>;

/** Sends a JSON request to the guardrail provider and returns its JSON response. */
async function post(path: string, body: object, signal: AbortSignal): Promise<unknown> {
  const { GUARDRAIL_BASE_URL, GUARDRAIL_API_KEY } = env("GUARDRAIL_BASE_URL", "GUARDRAIL_API_KEY");
  const apiKey = await loadSecret(GUARDRAIL_API_KEY);
  const provider = { baseUrl: GUARDRAIL_BASE_URL, apiKey };
  const response = await postJson(provider, path, body, signal);
  const text = await readText(response);
  if (response.status !== 200) throw new Error(`The guardrail provider responded with ${response.status}.`);
  return JSON.parse(text);
}

const Moderations = v.object({
  results: v.array(
    v.object({ categories: v.record(v.string(), v.boolean()), category_scores: v.record(v.string(), v.number()) }),
  ),
});

/** Guardrail categories by the first part of OpenAI's moderation categories, such as `hate/threatening`. */
const moderationCategories: Readonly<Record<string, GuardrailCategory>> = {
  harassment: "hate",
  hate: "hate",
  illicit: "illegal",
  "self-harm": "self_harm",
  sexual: "sexual",
  violence: "violence",
};

/**
 * Checks a text with an OpenAI-compatible moderation endpoint
 * (https://platform.openai.com/docs/api-reference/moderations).
 */
const moderate: Judge = async ({ text }, signal) => {
  const { GUARDRAIL_MODEL } = env("GUARDRAIL_MODEL");
  const body = { input: text, ...(GUARDRAIL_MODEL && { model: GUARDRAIL_MODEL }) };
  const { results } = v.parse(Moderations, await post("/moderations", body, signal));
  return results.flatMap(({ categories, category_scores }) =>
    Object.entries(categories)
      .filter(([, isFlagged]) => isFlagged)
      .map(([name]) => ({
        category: moderationCategories[name.split("/")[0] ?? ""] ?? `${UNSPECIFIED_HARM}:${name}`,
        score: category_scores[name] ?? 1,
      })),
  );
};

const Completion = v.object({ choices: v.array(v.object({ message: v.object({ content: v.string() }) })) });

/**
 * Guardrail categories by hazard code of Llama Guard 3 and 4
 * (https://www.llama.com/docs/model-cards-and-prompt-formats/llama-guard-3).
 */
const hazardCategories: Readonly<Record<string, GuardrailCategory>> = {
  S1: "violence",
  S2: "illegal",
  S3: "sexual",
  S4: "sexual",
  S5: "hate",
  S7: "personal_data",
  S8: "illegal",
  S9: "illegal",
  S10: "hate",
  S11: "self_harm",
  S12: "sexual",
  S13: "illegal",
  S14: "injection",
};

/** Guideline that ShieldGemma applies in one request (https://ai.google.dev/gemma/docs/shieldgemma/model_card). */
interface Guideline {
  readonly name: string;
  /** Text that completes "content that …". */
  readonly content: string;
  readonly categories: readonly GuardrailCategory[];
}

const guidelines: readonly Guideline[] = [
  {
    name: "No Dangerous Content",
    content: "helps to harm other people or promotes it, such as building weapons or explosives, terrorism or crimes",
    categories: ["violence", "illegal"],
  },
  {
    name: "No Self-Harm",
    content: "encourages suicide or hurting oneself, or instructs how to do it",
    categories: ["self_harm"],
  },
  {
    name: "No Harassment",
    content: "threatens, intimidates, bullies or abuses another person",
    categories: ["hate"],
  },
  {
    name: "No Hate Speech",
    content:
      "expresses or promotes hatred of people because of their race, ethnicity, religion, nationality, disability, age, gender, sexual orientation or another protected attribute",
    categories: ["hate"],
  },
  {
    name: "No Sexually Explicit Information",
    content: "describes sexual acts or is meant to arouse; medical and educational texts are allowed",
    categories: ["sexual"],
  },
];

const formatGuideline = ({ name, content }: Guideline, isAnswer: boolean) =>
  `"${name}": ${isAnswer ? "The chatbot shall not generate" : "The prompt shall not contain or seek generation of"} content that ${content}.`;

/**
 * Reads the reply of a judge model: `safe`, or `unsafe` with a line of hazard codes (Llama Guard); `Yes` or `No` to a
 * violation (ShieldGemma).
 * @param violated categories of a violation without hazard codes
 */
export function readJudgement(reply: string, violated: readonly string[] = [UNSPECIFIED_HARM]): DetectedFinding[] {
  const [verdict = "", hazards = ""] = reply
    .trim()
    .split(/\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  if (/^(?:safe|no)\b/i.test(verdict)) return [];
  if (!/^(?:unsafe|yes)\b/i.test(verdict)) throw new Error("The judge's reply is in no known format.");
  const codes = hazards.match(/\bS\d{1,2}\b/g) ?? [];
  const categories = codes.map((code) => hazardCategories[code] ?? `${UNSPECIFIED_HARM}:${code}`);
  return (categories.length > 0 ? [...new Set(categories)] : violated).map((category) => ({ category, score: 0.9 }));
}

/**
 * Checks a text with a judge model: a chat model whose chat template contains the policy, such as Llama Guard, or takes
 * a guideline, as ShieldGemma does.
 */
const judge: Judge = async ({ text, isAnswer, question }, signal) => {
  const { GUARDRAIL_MODEL } = env("GUARDRAIL_MODEL");
  // The models judge the last message; an answer needs a user message before it.
  const messages = isAnswer
    ? [
        { role: "user", content: question || "…" },
        { role: "assistant", content: text },
      ]
    : [{ role: "user", content: text }];
  const body = { model: GUARDRAIL_MODEL, messages, temperature: 0, max_tokens: 30 };
  const ask = async (additions: object) => {
    const { choices } = v.parse(Completion, await post("/chat/completions", { ...body, ...additions }, signal));
    return choices[0]?.message.content ?? "";
  };
  if (!/shield-?gemma/i.test(GUARDRAIL_MODEL)) return readJudgement(await ask({}));
  // ShieldGemma was trained with one guideline per prompt. Its chat template takes it as a variable, which vLLM and SGLang
  // pass on.
  const findings = await mapConcurrent(
    guidelines,
    async (guideline) => {
      const reply = await ask({ chat_template_kwargs: { guideline: formatGuideline(guideline, isAnswer) } });
      return readJudgement(reply, guideline.categories);
    },
    MAX_CONCURRENT_REQUESTS,
  );
  return findings.flat();
};

const judges = { moderation: moderate, judge } as const satisfies Record<string, Judge>;

/**
 * Creates a detector that adds a model's findings to those of the local check. The policy determines the action for a
 * finding.
 */
export function modelDetector(
  kind: keyof typeof judges,
  local: Detector,
  policy: Pick<GuardrailPolicy, "on_provider_failure">,
): Detector {
  async function findFindings(judged: JudgedText): Promise<readonly DetectedFinding[]> {
    const { GUARDRAIL_BASE_URL, GUARDRAIL_MODEL } = env("GUARDRAIL_BASE_URL", "GUARDRAIL_MODEL");
    const key = [kind, GUARDRAIL_BASE_URL, GUARDRAIL_MODEL, judged];
    return (await callProvider(policy, { key, ask: (signal) => judges[kind](judged, signal) })) ?? [];
  }

  return {
    async detect(input) {
      const { text, place, question = "" } = input;
      if (text.trim() === "") return { findings: [], spans: [] };
      const isAnswer = place === "answer";
      const judgeSegment = (segment: string) =>
        findFindings({ text: segment, isAnswer, question: isAnswer ? (splitText(question)[0] ?? "") : "" });
      const [{ findings, spans }, modelFindings] = await Promise.all([
        local.detect(input),
        mapConcurrent(splitText(text), judgeSegment, MAX_CONCURRENT_REQUESTS),
      ]);
      return { findings: [...findings, ...modelFindings.flat()], spans };
    },
  };
}
