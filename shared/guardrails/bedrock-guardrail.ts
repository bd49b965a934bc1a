import * as v from "valibot";
import { awsClient } from "../lib/aws/aws-client.ts";
import { env } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import type { Finding, Guardrail, Stage, Verdict } from "./types.ts";

/** How long Bedrock may take to check a text, in milliseconds. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Characters of a text that one request takes; Bedrock counts 1,000 of them as a unit and takes 25 units a second by default. */
const pieceLength = 20_000;

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

/** Bedrock's words for what we have words for; the rest keep theirs in lower case. */
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

interface Found extends Finding {
  readonly blocks: boolean;
}

function foundIn({ assessments }: Answer): Found[] {
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

function strongest(found: readonly Finding[]): Finding[] {
  const byCategory = new Map<string, number>();
  for (const { category, score } of found) byCategory.set(category, Math.max(score, byCategory.get(category) ?? 0));
  return Array.from(byCategory, ([category, score]) => ({ category, score })).sort(
    (one, other) => other.score - one.score,
  );
}

/** Pieces of a text, cut between characters. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + pieceLength, text.length);
    if (to < text.length && /[\ud800-\udbff]/.test(text[to - 1] ?? "")) to--;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces.length > 0 ? pieces : [""];
}

/**
 * A guardrail of Amazon Bedrock (`GUARDRAIL_ID`, `GUARDRAIL_VERSION`), asked through ApplyGuardrail for each text. What is
 * done about what is its own configuration's say; retrieved texts are checked as input.
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
        piecesOf(text).map(async (piece) => ({ piece, answer: await apply(stage, piece) })),
      );
      const found = answers.flatMap(({ answer }) => foundIn(answer));
      const intervened = answers.some(({ answer }) => answer.action === "GUARDRAIL_INTERVENED");
      if (!intervened) return { action: "allow", categories: strongest(found), text };
      // What blocks is replaced by the guardrail's message, what is masked by the text with its masks.
      if (found.some(({ blocks }) => blocks) && stage !== "retrieval") {
        return { action: "block", categories: strongest(found), text: "" };
      }
      const shown = answers.map(({ piece, answer }) =>
        answer.action === "GUARDRAIL_INTERVENED" ? answer.outputs.map((output) => output.text ?? "").join("") : piece,
      );
      return { action: "redact", categories: strongest(found), text: shown.join("") };
    },
  };
}
