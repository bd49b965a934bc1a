import {
  type GuardrailAction,
  type GuardrailCategory,
  type GuardrailPlace,
  type GuardrailPolicy,
  guardrailCategories,
} from "../api/governance/guardrail-policy.ts";
import { CodeFences } from "../markdown/code-fences.ts";
import { stricter } from "./narrow-policy.ts";
import { redactSpans, type Span } from "./spans.ts";
import {
  type CheckInput,
  type DetectedFinding,
  type Detection,
  type Finding,
  type GuardrailVerdict,
  type PlacedFinding,
  UNSPECIFIED_HARM,
} from "./types.ts";

/** Replacement for a whole text, if the position of a finding in it is unknown. */
const REMOVED_TEXT = "[removed by the content policy]";

/**
 * Categories whose data is found by format and cut out of a text, also while it streams. If a model reports such a
 * category, the finding has no position, and the text is not removed because of it.
 */
const cutCategories: ReadonlySet<string> = new Set<GuardrailCategory>(["secrets", "personal_data"]);

const defaultPlaces: Readonly<Record<CheckInput["stage"], GuardrailPlace>> = {
  input: "question",
  retrieval: "retrieved",
  output: "answer",
};

/** Returns the place of a text: the one that the caller names, otherwise the most common one of its stage. */
export const placeOf = ({ stage, place }: CheckInput): GuardrailPlace => place ?? defaultPlaces[stage];

/** Categories that may apply if a model only reports that a text is unsafe. */
const harmCategories = ["violence", "self_harm", "sexual", "hate", "illegal"] as const satisfies GuardrailCategory[];

/**
 * Returns the action of a policy for a category at a place. For an unspecified harm, it is the strictest action of all
 * harmful categories. A category that the policy does not have, such as `topic:taxes`, is flagged.
 */
function actionFor(policy: GuardrailPolicy, category: string, place: GuardrailPlace): GuardrailAction {
  if (category.split(":")[0] === UNSPECIFIED_HARM) {
    return harmCategories.map((harm) => policy.actions[harm][place]).reduce(stricter);
  }
  const actions = policy.actions[category.split(":")[0] as GuardrailCategory];
  // A tenant that blocks answers for their content does not want it in their code either.
  if ((place === "code" || place === "tool_call") && actions?.answer === "block") return "block";
  return actions?.[place] ?? "flag";
}

/** Returns true unless the policy disables the format that found a span. */
const isEnabled = (policy: GuardrailPolicy, { kind }: Pick<Span, "kind">) => !policy.disabled_rules.includes(kind);

/**
 * Returns true if a policy redacts a span at a place. Contact details are redacted only with `redact_contact_details`,
 * because users write letters with the assistant.
 */
export function isRedacted(policy: GuardrailPolicy, place: GuardrailPlace, span: Span): boolean {
  const action = actionFor(policy, span.category, place);
  const isRemoving = action === "redact" || action === "block";
  return isRemoving && isEnabled(policy, span) && (!span.isContact || policy.redact_contact_details);
}

/**
 * Returns the place of a span: `code` in the code blocks of an answer, otherwise the place of its text.
 * @param fences code blocks of the text before the span
 */
export const placeOfSpan = (place: GuardrailPlace, fences: CodeFences): GuardrailPlace =>
  place === "answer" && fences.isOpen ? "code" : place;

/** Returns spans with their places. */
function placeSpans(spans: readonly Span[], place: GuardrailPlace, text: string) {
  const fences = new CodeFences();
  let read = 0;
  return spans
    .toSorted((a, b) => a.from - b.from)
    .map((span) => {
      fences.push(text.slice(read, span.from));
      read = span.from;
      return { ...span, place: placeOfSpan(place, fences) };
    });
}

/** Returns the maximum score of each category, highest score first. */
export function mergeByCategory(findings: readonly Finding[]): Finding[] {
  const byCategory = new Map<string, number>();
  for (const { category, score } of findings) byCategory.set(category, Math.max(score, byCategory.get(category) ?? 0));
  return Array.from(byCategory, ([category, score]) => ({ category, score: Math.round(score * 1000) / 1000 })).sort(
    (a, b) => b.score - a.score,
  );
}

export function applyPolicy(
  policy: GuardrailPolicy,
  { place, text }: { readonly place: GuardrailPlace; readonly text: string },
  detection: Detection,
): GuardrailVerdict {
  const isOn = (category: string, at: GuardrailPlace) => actionFor(policy, category, at) !== "off";
  const findings = detection.findings.filter(({ category }) => isOn(category, place));
  const spans = placeSpans(detection.spans, place, text).filter(
    (span) => isOn(span.category, span.place) && isEnabled(policy, span),
  );
  const categories = mergeByCategory([...findings, ...spans]);
  const rules = [...new Set([...findings.flatMap(({ rule }) => rule ?? []), ...spans.map(({ kind }) => kind)])];
  const redacted = spans.filter((span) => isRedacted(policy, span.place, span));
  const certain = findings.filter(({ isHint }: DetectedFinding) => isHint !== true);
  const isBlocked =
    certain.some(({ category, isBlocking }: DetectedFinding) => isBlocking || blocks(policy, category, place)) ||
    redacted.some((span) => blocks(policy, span.category, span.place));
  if (isBlocked) return { action: "block", categories, rules, text: "" };
  // A finding without a position cannot be cut out, so the whole text is replaced.
  const isRemoved = certain.some(
    ({ category }) => actionFor(policy, category, place) === "redact" && !cutCategories.has(category),
  );
  const ownRedaction = isRemoved ? REMOVED_TEXT : redactSpans(text, redacted);
  const checkedText = detection.redactedText ?? ownRedaction;
  if (checkedText === text) return { action: "allow", categories, rules, text };
  const removed = [...new Set(redacted.map(({ kind }) => kind))];
  return { action: "redact", categories, rules, text: checkedText, ...(removed.length > 0 && { removed }) };
}

/** Places of what a model writes. */
export const answerPlaces: readonly GuardrailPlace[] = ["answer", "code", "tool_call"];

const blocks = (policy: GuardrailPolicy, category: string, place: GuardrailPlace) =>
  actionFor(policy, category, place) === "block";

/**
 * Returns true if a policy can reject a whole answer, which must then not be shown before it is checked completely. The
 * action `redact` also rejects an answer if the finding has no position.
 */
export const blocksAnswers = (policy: GuardrailPolicy): boolean =>
  guardrailCategories.some((category) => {
    if (cutCategories.has(category)) return answerPlaces.some((place) => blocks(policy, category, place));
    const action = actionFor(policy, category, "answer");
    return action === "block" || action === "redact";
  });

/** Returns true if a policy blocks an answer for what a `StreamingRedactor` found in it. */
export const isAnswerBlocked = (policy: GuardrailPolicy, findings: readonly PlacedFinding[]): boolean =>
  findings.some(({ category, place }) => blocks(policy, category, place));
