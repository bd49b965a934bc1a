import type { GuardrailCategory, GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { findSensitiveSpans } from "../sensitive-data.ts";
import type { Detector, Finding } from "../types.ts";
import { type Class, classes, classify } from "./classifier.ts";
import {
  decodePayloads,
  decodeTagCharacters,
  findTransformedReadings,
  joinSpacedLetters,
  normalize,
  unleet,
} from "./normalize.ts";

/** Total probability of all classes from which on a text is suspicious. */
const THRESHOLD = 0.9;

const categories: Readonly<Record<Class, GuardrailCategory>> = {
  prompt_injection: "injection",
  jailbreak: "injection",
  dangerous: "illegal",
  abuse: "hate",
  violence: "violence",
  self_harm: "self_harm",
};

/** Length up to which a text is also read in transformed ways, such as reversed. */
const MAX_TRANSFORMED_CHARACTERS = 20_000;

/** Returns all normalized readings of a text: as it is, decoded, with spaced letters joined, rotated and reversed. */
function toReadings(text: string): string[] {
  const plain = unleet(normalize(text));
  const short = plain.slice(0, MAX_TRANSFORMED_CHARACTERS);
  const joined = joinSpacedLetters(normalize(text.slice(0, MAX_TRANSFORMED_CHARACTERS)));
  return [
    plain,
    ...[...decodePayloads(text), decodeTagCharacters(text)]
      .filter((reading) => reading.length > 5)
      .map((reading) => unleet(normalize(reading))),
    ...(joined === null ? [] : [unleet(joined)]),
    ...findTransformedReadings(short),
  ];
}

interface Suspicion {
  readonly total: number;
  readonly strongest: Class;
  readonly findings: readonly Finding[];
}

/** Number of invisible Unicode tag characters from which on they form a message; a regional flag has five or six. */
const MIN_HIDDEN_CHARACTERS = 10;

const hiddenMessage: Suspicion = {
  total: 0.95,
  strongest: "prompt_injection",
  findings: [{ category: "prompt_injection", score: 0.95 }],
};

/** Number of words from which on a score counts in full; shorter texts rarely request anything. */
const FULL_EVIDENCE_WORDS = 4;

/** Returns the weight of a score by the number of words, 0 to 1; in scripts without spaces, two letters are a word. */
function getEvidence(text: string): number {
  const words =
    text.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]{2}|[\p{L}\p{N}]+/gu)?.length ?? 0;
  return Math.min(1, Math.sqrt(words / FULL_EVIDENCE_WORDS));
}

function assess(text: string): Suspicion {
  let highest: Suspicion =
    decodeTagCharacters(text).length < MIN_HIDDEN_CHARACTERS
      ? { total: 0, strongest: classes[0], findings: [] }
      : hiddenMessage;
  for (const reading of toReadings(text)) {
    const scores = classify(reading);
    const total = getEvidence(reading) * classes.reduce((sum, name) => sum + scores[name], 0);
    if (total <= highest.total) continue;
    const findings = classes
      .map((category) => ({ category, score: scores[category] }))
      .filter(({ score }) => score >= 0.2)
      .sort((a, b) => b.score - a.score);
    const strongest = classes.reduce((a, b) => (scores[b] > scores[a] ? b : a));
    highest = { total, strongest, findings };
  }
  return highest;
}

/** Creates the detector that needs no network and no account. */
export function localDetector(_policy: GuardrailPolicy): Detector {
  return {
    async detect({ text }) {
      const { total, findings } = assess(text);
      return {
        findings:
          total < THRESHOLD
            ? []
            : findings.map(({ category, score }) => ({ category: categories[category as Class], score })),
        spans: findSensitiveSpans(text),
      };
    },
  };
}
