import type { GuardrailPolicy } from "../../api/governance/guardrail-policy.ts";
import { findSensitiveSpans } from "../sensitive-data.ts";
import type { DetectedFinding, Detector } from "../types.ts";
import {
  decodePayloads,
  decodeTagCharacters,
  findTransformedReadings,
  joinSpacedLetters,
  normalize,
  unleet,
} from "./normalize.ts";
import { type Rule, rules } from "./rules.ts";

/** Maximum length of texts that are also checked reversed, decoded and rotated (ROT13). */
const MAX_TRANSFORMED_CHARACTERS = 20_000;

/**
 * Minimum number of Unicode tag characters that count as a hidden message; an emoji flag of a region contains five or
 * six.
 */
const MIN_HIDDEN_CHARACTERS = 10;

/** Name of the rule for messages in invisible tag characters, which no pattern expresses. */
const HIDDEN_MESSAGE_RULE = "hidden-message";

/**
 * Returns the normalized forms of a text to check: the text itself, its decoded payloads, and the text with spaced
 * letters joined, rotated (ROT13) or reversed.
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

/** Returns the findings of rules in a text. */
export function applyRules(
  text: string,
  activeRules: readonly Rule[],
): (DetectedFinding & { readonly rule: string })[] {
  const readings = toReadings(text);
  return activeRules
    .filter(({ pattern }) => readings.some((reading) => pattern.test(reading)))
    .map(({ name, category, score }) => ({ category, score, rule: name }));
}

/** Creates the detector that needs no network and no account. */
export function localDetector({ disabled_rules }: Pick<GuardrailPolicy, "disabled_rules">): Detector {
  const disabled = new Set(disabled_rules);
  const activeRules = rules.filter(({ name }) => !disabled.has(name));
  return {
    async detect({ text }) {
      const hasHiddenMessage =
        !disabled.has(HIDDEN_MESSAGE_RULE) && decodeTagCharacters(text).length >= MIN_HIDDEN_CHARACTERS;
      const hidden = hasHiddenMessage ? [{ category: "injection", score: 0.95, rule: HIDDEN_MESSAGE_RULE }] : [];
      return { findings: [...hidden, ...applyRules(text, activeRules)], spans: findSensitiveSpans(text) };
    },
  };
}
