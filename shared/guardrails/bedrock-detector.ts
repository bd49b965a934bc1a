import * as v from "valibot";
import { awsClient } from "../lib/aws/aws-client.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { DetectedFinding, Detection, Detector, Stage } from "./types.ts";

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Maximum length of the text in one request. Bedrock counts 1,000 characters as a text unit, and the default quota is 25
 * units per second.
 */
const MAX_REQUEST_CHARACTERS = 20_000;

const scores: Readonly<Record<string, number>> = { NONE: 0, LOW: 0.4, MEDIUM: 0.7, HIGH: 0.95 };

const BedrockDetection = v.looseObject({ action: v.optional(v.string()), detected: v.optional(v.boolean()) });
const Assessment = v.looseObject({
  topicPolicy: v.optional(
    v.looseObject({ topics: v.array(v.looseObject({ ...BedrockDetection.entries, name: v.string() })) }),
  ),
  contentPolicy: v.optional(
    v.looseObject({
      filters: v.array(
        v.looseObject({ ...BedrockDetection.entries, type: v.string(), confidence: v.optional(v.string()) }),
      ),
    }),
  ),
  wordPolicy: v.optional(
    v.looseObject({
      customWords: v.optional(v.array(BedrockDetection)),
      managedWordLists: v.optional(v.array(BedrockDetection)),
    }),
  ),
  sensitiveInformationPolicy: v.optional(
    v.looseObject({
      piiEntities: v.optional(v.array(v.looseObject({ ...BedrockDetection.entries, type: v.string() }))),
      regexes: v.optional(v.array(v.looseObject({ ...BedrockDetection.entries, name: v.optional(v.string()) }))),
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
  PROMPT_ATTACK: "injection",
  HATE: "hate",
  INSULTS: "hate",
  SEXUAL: "sexual",
  VIOLENCE: "violence",
  MISCONDUCT: "illegal",
  PASSWORD: "secrets",
  AWS_ACCESS_KEY: "secrets",
  AWS_SECRET_KEY: "secrets",
};
const secretTypes = new Set(["PASSWORD", "AWS_ACCESS_KEY", "AWS_SECRET_KEY"]);

function findFindings({ assessments }: Answer): DetectedFinding[] {
  return assessments.flatMap((assessment) => {
    const { topicPolicy, contentPolicy, wordPolicy, sensitiveInformationPolicy: sensitive } = assessment;
    const blocks = ({ action }: { action?: string | undefined }) => action === "BLOCKED";
    return [
      ...(topicPolicy?.topics ?? []).map((topic) => ({
        category: `topic:${topic.name}`,
        score: 0.95,
        isBlocking: blocks(topic),
      })),
      ...(contentPolicy?.filters ?? []).map((filter) => ({
        category: categories[filter.type] ?? filter.type.toLowerCase(),
        score: scores[filter.confidence ?? "HIGH"] ?? 0.95,
        isBlocking: blocks(filter),
      })),
      ...[...(wordPolicy?.customWords ?? []), ...(wordPolicy?.managedWordLists ?? [])].map((word) => ({
        category: "hate",
        score: 0.95,
        isBlocking: blocks(word),
      })),
      ...(sensitive?.piiEntities ?? []).map((entity) => ({
        category: secretTypes.has(entity.type) ? "secrets" : "personal_data",
        score: 0.95,
        isBlocking: blocks(entity),
      })),
      ...(sensitive?.regexes ?? []).map((regex) => ({
        category: "personal_data",
        score: 0.95,
        isBlocking: blocks(regex),
      })),
    ];
  });
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
 * Creates the detector that checks texts with Amazon Bedrock's ApplyGuardrail (`GUARDRAIL_ID`, `GUARDRAIL_VERSION`). The
 * Bedrock guardrail's configuration determines what is blocked or masked; retrieved texts are checked as input.
 */
export function bedrockDetector(): Detector {
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
    async detect({ stage, text }): Promise<Detection> {
      if (text.trim() === "") return { findings: [], spans: [] };
      const answers = await Promise.all(
        splitText(text).map(async (segment) => ({ segment, answer: await apply(stage, segment) })),
      );
      // A blocked passage of retrieved text is replaced by Bedrock's message; the other passages remain.
      const findings = answers
        .flatMap(({ answer }) => findFindings(answer))
        .map((finding) => ({ ...finding, isBlocking: finding.isBlocking === true && stage !== "retrieval" }));
      const hasIntervened = answers.some(({ answer }) => answer.action === "GUARDRAIL_INTERVENED");
      if (!hasIntervened) return { findings, spans: [] };
      // Bedrock returns its configured message for blocked text, and the masked text otherwise.
      const checkedTexts = answers.map(({ segment, answer }) =>
        answer.action === "GUARDRAIL_INTERVENED" ? answer.outputs.map((output) => output.text ?? "").join("") : segment,
      );
      return { findings, spans: [], redactedText: checkedTexts.join("") };
    },
  };
}
