import type { NewTestItem } from "../api/evaluations/test-items.ts";
import type { GuardrailPolicy } from "../api/governance/guardrail-policy.ts";
import { redactAsAnswer } from "../guardrails/guardrail.ts";

/**
 * Returns an item as the policy lets an answer contain its texts; null if it blocks one. Expectations and notes are what
 * their author wrote.
 */
export const redactItem = (policy: GuardrailPolicy, item: NewTestItem): Promise<NewTestItem | null> =>
  redactAsAnswer(policy, async (redact) => {
    const redactAll = <Entry extends { readonly text: string }>(entries: readonly Entry[]) =>
      Promise.all(entries.map(async (entry) => ({ ...entry, text: await redact(entry.text) })));
    const { messages, files, passages, tool_results } = item.context;
    return {
      ...item,
      question: await redact(item.question),
      context: {
        messages: await redactAll(messages),
        files: await redactAll(files),
        passages: passages && (await redactAll(passages)),
        tool_results: await Promise.all(
          tool_results.map(async ({ tool, input, result }) => ({
            tool,
            input: await redact(input),
            result: await redact(result),
          })),
        ),
      },
    };
  });
