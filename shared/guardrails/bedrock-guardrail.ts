import * as v from "valibot";
import { awsClient } from "../lib/aws/aws-client.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { Finding, Guardrail, Stage, Verdict } from "./types.ts";

const REQUEST_TIMEOUT_MS = 10_000;

/** Characters of text in one request. Bedrock counts 1,000 as a text unit, and the default quota is 25 units per second. */
const MAX_REQUEST_CHARACTERS = 20_000;

const scores: Readonly<Record<string, number>> = { NONE: 0, LOW: 0.4, MEDIUM: 0.7, HIGH: 0.95 };

const Detection = v.looseObject({ action: v.optional(v.string()), detected: v.optional(v.boolean()) });
const Assessment = v.looseObject({
  topicPolicy: v.optional(
    v.looseObject({ topics: v.array(v.looseObject({ ...Detection.entries, name: v.string() })) }),
  ),
  contentPolicy: v.optional(
    v.looseObject({
      filters: v.array(v.looseObject({ ...Detection.entries, type: v.string(), confidence: v.optional(v.string()) })),
    }),
  ),
  wordPolicy: v.optional(
    v.looseObject({ customWords: v.optional(v.array(Detection)), managedWordLists: v.optional(v.array(Detection)) }),
  ),
  sensitiveInformationPolicy: v.optional(
    v.looseObject({
      piiEntities: v.optional(v.array(v.looseObject({ ...Detection.entries, type: v.string() }))),
      regexes: v.optional(v.array(v.looseObject({ ...Detection.entries, name: v.optional(v.string()) }))),
    }),
  ),
});
const Answer = v.looseObject({
  action: v.string(),
  outputs: v.optional(v.array(v.looseObject({ text: v.optional(v.string()) })), []),
  assessments: v.optional(v.array(Assessment), []),
});
type Answer = v.InferOutput<typeof Answer>;

/** Categories by Bedrock's type; other types are used in lower case. */
const categories: Readonly<Record<string, string>> = {
  PROMPT_ATTACK: "prompt_injection",
  HATE: "abuse",
  INSULTS: "abuse",
  VIOLENCE: "violence",
  MISCONDUCT: "dangerous",
  PASSWORD: "secrets",
  AWS_ACCESS_KEY: "secrets",
  AWS_SECRET_KEY: "secrets",
};
const secretTypes = new Set(["PASSWORD", "AWS_ACCESS_KEY", "AWS_SECRET_KEY"]);

interface BedrockFinding extends Finding {
  readonly blocks: boolean;
}

function findFindings({ assessments }: Answer): BedrockFinding[] {
  return assessments.flatMap((assessment) => {
    const { topicPolicy, contentPolicy, wordPolicy, sensitiveInformationPolicy: sensitive } = assessment;
    const blocks = ({ action }: { action?: string | undefined }) => action === "BLOCKED";
    return [
      ...(topicPolicy?.topics ?? []).map((topic) => ({
        category: `topic:${topic.name}`,
        score: 0.95,
        blocks: blocks(topic),
      })),
      ...(contentPolicy?.filters ?? []).map((filter) => ({
        category: categories[filter.type] ?? filter.type.toLowerCase(),
        score: scores[filter.confidence ?? "HIGH"] ?? 0.95,
        blocks: blocks(filter),
      })),
      ...[...(wordPolicy?.customWords ?? []), ...(wordPolicy?.managedWordLists ?? [])].map((word) => ({
        category: "abuse",
        score: 0.95,
        blocks: blocks(word),
      })),
      ...(sensitive?.piiEntities ?? []).map((entity) => ({
        category: secretTypes.has(entity.type) ? "secrets" : "personal_data",
        score: 0.95,
        blocks: blocks(entity),
      })),
      ...(sensitive?.regexes ?? []).map((regex) => ({ category: "personal_data", score: 0.95, blocks: blocks(regex) })),
    ];
  });
}

/** Returns the highest score of each category, highest first. */
function mergeByCategory(findings: readonly Finding[]): Finding[] {
  const byCategory = new Map<string, number>();
  for (const { category, score } of findings) byCategory.set(category, Math.max(score, byCategory.get(category) ?? 0));
  return Array.from(byCategory, ([category, score]) => ({ category, score })).sort((a, b) => b.score - a.score);
}

/** Splits a text into request-sized segments without splitting surrogate pairs. */
function splitText(text: string): string[] {
  const segments: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + MAX_REQUEST_CHARACTERS, text.length);
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? "")) to--;
    segments.push(text.slice(from, to));
    from = to;
  }
  return segments.length > 0 ? segments : [""];
}

/**
 * Creates the guardrail that checks texts with Amazon Bedrock's ApplyGuardrail (`GUARDRAIL_ID`, `GUARDRAIL_VERSION`). The
 * Bedrock guardrail's configuration determines what is blocked or masked; retrieved texts are checked as input.
 */
export function bedrockGuardrail(): Guardrail {
  const { GUARDRAIL_ID, GUARDRAIL_VERSION } = env("GUARDRAIL_ID", "GUARDRAIL_VERSION");
  const client = awsClient({
    environmentName: "BEDROCK_RUNTIME",
    hostPrefix: "bedrock-runtime",
    signingName: "bedrock",
    timeoutMs: REQUEST_TIMEOUT_MS,
    maxAttempts: 3,
  });
  const id = encodeURIComponent(GUARDRAIL_ID);
  const path = `/guardrail/${id}/version/${encodeURIComponent(GUARDRAIL_VERSION)}/apply`;

  async function apply(stage: Stage, text: string): Promise<Answer> {
    const source = stage === "output" ? "OUTPUT" : "INPUT";
    try {
      const response = await client({
        path,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ source, content: [{ text: { text } }] }),
      });
      return v.parse(Answer, response);
    } catch (error) {
      // Fails closed: a text that could not be checked does not pass.
      throw new ServiceError("unavailable", "The safety check is temporarily unavailable.", { cause: error });
    }
  }

  return {
    async check({ stage, text }): Promise<Verdict> {
      if (text.trim() === "") return { action: "allow", categories: [], text };
      const answers = await Promise.all(
        splitText(text).map(async (segment) => ({ segment, answer: await apply(stage, segment) })),
      );
      const findings = answers.flatMap(({ answer }) => findFindings(answer));
      const hasIntervened = answers.some(({ answer }) => answer.action === "GUARDRAIL_INTERVENED");
      if (!hasIntervened) return { action: "allow", categories: mergeByCategory(findings), text };
      // Bedrock returns its configured message for blocked text, and the masked text otherwise.
      if (findings.some(({ blocks }) => blocks) && stage !== "retrieval") {
        return { action: "block", categories: mergeByCategory(findings), text: "" };
      }
      const checkedTexts = answers.map(({ segment, answer }) =>
        answer.action === "GUARDRAIL_INTERVENED" ? answer.outputs.map((output) => output.text ?? "").join("") : segment,
      );
      return { action: "redact", categories: mergeByCategory(findings), text: checkedTexts.join("") };
    },
  };
}
