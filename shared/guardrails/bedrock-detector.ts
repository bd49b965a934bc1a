import * as v from "valibot";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { awsClient } from "../lib/aws/aws-client.ts";
import { env } from "../lib/env.ts";
import { callProvider, splitText } from "./provider-call.ts";
import type { DetectedFinding, Detection, Detector, Stage } from "./types.ts";

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

/** Response that stands for a text that Bedrock could not check and that the policy lets pass. */
const unchecked: Answer = { action: "NONE", outputs: [], assessments: [] };

/** Guardrail categories by Bedrock's filter type; other types are used in lower case. */
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

/**
 * Creates the detector that checks texts with Amazon Bedrock's ApplyGuardrail (`GUARDRAIL_ID`, `GUARDRAIL_VERSION`).
 * The configuration of the Bedrock guardrail determines what is blocked or masked. Retrieved texts are checked as
 * input.
 */
export function bedrockDetector(policy: Pick<GuardrailPolicy, "on_provider_failure">): Detector {
  const settings = env("GUARDRAIL_ID", "GUARDRAIL_VERSION", "GUARDRAIL_TIMEOUT_MS");
  const { GUARDRAIL_ID, GUARDRAIL_VERSION, GUARDRAIL_TIMEOUT_MS } = settings;
  const client = awsClient({
    environmentName: "BEDROCK_RUNTIME",
    hostPrefix: "bedrock-runtime",
    signingName: "bedrock",
    timeoutMs: Number(GUARDRAIL_TIMEOUT_MS),
    maxAttempts: 3,
  });
  const id = encodeURIComponent(GUARDRAIL_ID);
  const path = `/guardrail/${id}/version/${encodeURIComponent(GUARDRAIL_VERSION)}/apply`;

  function apply(stage: Stage, text: string): Promise<Answer | undefined> {
    const source = stage === "output" ? "OUTPUT" : "INPUT";
    return callProvider(policy, {
      key: [path, source, text],
      async ask() {
        const response = await client({
          path,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ source, content: [{ text: { text } }] }),
        });
        return v.parse(Answer, response);
      },
    });
  }

  return {
    async detect({ stage, text }): Promise<Detection> {
      if (text.trim() === "") return { findings: [], spans: [] };
      const answers = await Promise.all(
        splitText(text).map(async (segment) => ({ segment, answer: (await apply(stage, segment)) ?? unchecked })),
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
