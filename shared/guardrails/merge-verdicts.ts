import type { GuardrailVerdict } from "./types.ts";

const severities: readonly GuardrailVerdict["action"][] = ["allow", "redact", "block"];

/**
 * Merges the verdicts on several texts: the most severe action, each category with its highest score, highest first,
 * and all rules and removed kinds of data. Without verdicts, the action is `allow`.
 */
export function mergeVerdicts(verdicts: readonly Omit<GuardrailVerdict, "text">[]) {
  const action = severities[Math.max(0, ...verdicts.map((verdict) => severities.indexOf(verdict.action)))] ?? "allow";
  const scores = new Map<string, number>();
  for (const { category, score } of verdicts.flatMap(({ categories }) => categories)) {
    scores.set(category, Math.max(score, scores.get(category) ?? 0));
  }
  const categories = Array.from(scores, ([category, score]) => ({ category, score })).sort((a, b) => b.score - a.score);
  const rules = [...new Set(verdicts.flatMap((verdict) => verdict.rules))];
  const removed = [...new Set(verdicts.flatMap((verdict) => verdict.removed ?? []))];
  return { action, categories, rules, removed };
}
