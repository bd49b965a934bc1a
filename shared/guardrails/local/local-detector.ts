import type { GuardrailPlace, GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { findSensitiveSpans } from "../sensitive-data.ts";
import {
  CLASSIFIER_RULE,
  type DetectedFinding,
  type Detector,
  POSSIBLE_SELF_HARM,
  POSSIBLE_SELF_HARM_RULE,
  SELF_HARM_RULE,
} from "../types.ts";
import { findSelfHarm } from "./find-self-harm.ts";
import { isWordedLikeInjection } from "./injection-classifier.ts";
import {
  decodePayloads,
  decodeTagCharacters,
  findTransformedReadings,
  joinSpacedLetters,
  normalize,
  unleet,
} from "./normalize.ts";
import { type Rule, rules } from "./rules.ts";

/**
 * Number of characters at the start of a text that are also checked with spaced letters joined, reversed, and rotated
 * (ROT13).
 */
const MAX_TRANSFORMED_CHARACTERS = 20_000;

/**
 * Number of Unicode tag characters from which a text contains a hidden message. The emoji flag of a region contains
 * five or six.
 */
const MIN_HIDDEN_CHARACTERS = 10;

/** Name of the rule for messages in invisible tag characters. It is code and not a pattern, so it is not in `rules`. */
const HIDDEN_MESSAGE_RULE = "hidden-message";

/**
 * Places where the classifier is used, because their texts resemble its training texts: messages that people and
 * programs send to a model.
 */
const classifiedPlaces: ReadonlySet<GuardrailPlace> = new Set(["question", "program"]);

/**
 * Returns the normalized forms of a text that rules check: the text itself, decoded payloads, and, if they apply,
 * variants with leetspeak replaced, spaced letters joined, rotated (ROT13) or reversed.
 */
function toReadings(text: string): string[] {
  const plain = normalize(text);
  const withoutLeet = unleet(plain);
  const joined = joinSpacedLetters(normalize(text.slice(0, MAX_TRANSFORMED_CHARACTERS)));
  return [
    plain,
    ...(withoutLeet === plain ? [] : [withoutLeet]),
    ...[...decodePayloads(text), decodeTagCharacters(text)]
      .filter((reading) => reading.length > 5)
      .map((reading) => unleet(normalize(reading))),
    ...(joined === null ? [] : [unleet(joined)]),
    ...findTransformedReadings(withoutLeet.slice(0, MAX_TRANSFORMED_CHARACTERS)),
  ];
}

type RuleFinding = DetectedFinding & { readonly rule: string };

function applyRulesTo(readings: readonly string[], activeRules: readonly Rule[]): RuleFinding[] {
  return activeRules
    .filter(({ pattern }) => readings.some((reading) => pattern.test(reading)))
    .map(({ name, category, score }) => ({ category, score, rule: name }));
}

export const applyRules = (text: string, activeRules: readonly Rule[]): RuleFinding[] =>
  applyRulesTo(toReadings(text), activeRules);

/**
 * Returns the classifier's hint for a text; empty if a rule has already found an injection or a statement about
 * self-harm, or the classifier finds none.
 */
function classify(readings: readonly string[], ruleFindings: readonly RuleFinding[]): RuleFinding[] {
  const isKnown = ruleFindings.some(({ category }) => category === "injection" || category === "self_harm");
  if (isKnown || !readings.some(isWordedLikeInjection)) return [];
  return [{ category: "injection", score: 0.6, rule: CLASSIFIER_RULE, isHint: true }];
}

/** Returns a finding if the text says that its writer is at risk of self-harm, a hint if it may say so. */
function findSelfHarmIn(text: string, readings: readonly string[], disabled: ReadonlySet<string>): RuleFinding[] {
  const statements = readings.map((reading) => findSelfHarm(reading, text));
  if (statements.includes("certain") && !disabled.has(SELF_HARM_RULE)) {
    return [{ category: "self_harm", score: 0.9, rule: SELF_HARM_RULE }];
  }
  if (statements.every((statement) => statement === null) || disabled.has(POSSIBLE_SELF_HARM_RULE)) return [];
  return [{ category: POSSIBLE_SELF_HARM, score: 0.5, rule: POSSIBLE_SELF_HARM_RULE, isHint: true }];
}

/** Creates the detector of the local check, which needs no network and no account. */
export function localDetector({ disabled_rules }: Pick<GuardrailPolicy, "disabled_rules">): Detector {
  const disabled = new Set(disabled_rules);
  const activeRules = rules.filter(({ name }) => !disabled.has(name));
  return {
    async detect({ place, text }) {
      const hasHiddenMessage =
        !disabled.has(HIDDEN_MESSAGE_RULE) && decodeTagCharacters(text).length >= MIN_HIDDEN_CHARACTERS;
      const hidden = hasHiddenMessage ? [{ category: "injection", score: 0.95, rule: HIDDEN_MESSAGE_RULE }] : [];
      const readings = toReadings(text);
      const found = [...applyRulesTo(readings, activeRules), ...findSelfHarmIn(text, readings, disabled)];
      const isClassified = classifiedPlaces.has(place) && !disabled.has(CLASSIFIER_RULE);
      const hints = isClassified ? classify(readings, found) : [];
      return { findings: [...hidden, ...found, ...hints], spans: findSensitiveSpans(text) };
    },
  };
}
