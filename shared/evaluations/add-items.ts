import type { TestSet } from "../api/evaluations/test-sets.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { getCurrentPolicy } from "../governance/policy-store.ts";
import { invalidField, ServiceError } from "../lib/errors.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import type { ParsedItem } from "./parse-lines.ts";
import { recordAnswer } from "./record-answer.ts";
import { redactItem } from "./redact-item.ts";
import { findExpectationProblem } from "./scoring/expectation-problem.ts";
import { addTestItem, newTestItem, type StoredTestItem } from "./test-item-store.ts";

const blockedText = "contains a text that the policy of your organization blocks";

/** Returns why the expectations of an item cannot be checked; null if they can. */
function findProblem({ expectations }: Pick<StoredTestItem, "expectations">): string | null {
  const problems = expectations.map(findExpectationProblem);
  const index = problems.findIndex((problem) => problem !== null);
  return index === -1 ? null : `expectations.${index}: ${problems[index]}`;
}

/** @throws ServiceError `validation_failed` if one of the expectations cannot be checked */
export function requireCheckable(item: Pick<StoredTestItem, "expectations">): void {
  const problem = findProblem(item);
  if (problem) throw invalidField("expectations", "not_checkable", problem);
}

/** Answer to add, and what is expected of others. */
interface AddedAnswer extends Pick<StoredTestItem, "expectations" | "note"> {
  readonly conversation_id: string;
  readonly message_id: string;
}

/**
 * Adds the question of an answer to a set.
 * @returns the id of the item
 * @throws ServiceError `conflict` if the set has it already, `validation_failed` if the policy blocks one of its texts, and the
 * errors of `recordAnswer`
 */
export async function addAnsweredItem(
  principal: UserPrincipal,
  set: TestSet,
  { conversation_id, message_id, expectations, note }: AddedAnswer,
): Promise<string> {
  requireCheckable({ expectations });
  const source = { conversation_id, message_id };
  const [{ messageIds, answerTokens, ...recorded }, { guardrails }] = await Promise.all([
    recordAnswer(principal, source),
    getCurrentPolicy(principal),
  ]);
  const fields = await redactItem(guardrails, { ...recorded, expectations, note });
  if (!fields) throw invalidField("message", "blocked", blockedText);
  const item = newTestItem(set, principal.userId, fields, { source, messageIds, answerTokens });
  if (await addTestItem(principal, item)) return item.id;
  throw new ServiceError("conflict", `The set has this question with this context already, as item ${item.id}.`);
}

/** Items of a request by what became of them. */
interface AddedItems {
  readonly added: string[];
  readonly duplicates: number;
  readonly invalid: { readonly index: number; readonly message: string }[];
}

/** Adds items to a set that it does not have. Of equal items, the first is added. */
export async function addNewItems(
  principal: UserPrincipal,
  set: TestSet,
  parsed: readonly ParsedItem[],
): Promise<AddedItems> {
  const { guardrails } = await getCurrentPolicy(principal);
  const ids = new Set<string>();
  const outcomes = await mapConcurrent(parsed, async (entry): Promise<{ added?: string; message?: string }> => {
    if ("problem" in entry) return { message: entry.problem };
    const problem = findProblem(entry.item);
    if (problem) return { message: problem };
    const fields = await redactItem(guardrails, entry.item);
    if (!fields) return { message: blockedText };
    const item = newTestItem(set, principal.userId, fields);
    if (ids.has(item.id)) return {};
    ids.add(item.id);
    return (await addTestItem(principal, item)) ? { added: item.id } : {};
  });
  const added = outcomes.flatMap((outcome) => outcome.added ?? []);
  const invalid = outcomes.flatMap(({ message }, index) => (message === undefined ? [] : [{ index, message }]));
  return { added, duplicates: outcomes.length - added.length - invalid.length, invalid };
}
