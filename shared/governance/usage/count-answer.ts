import type { Usage } from "../../api/conversations/messages.ts";
import { isPrincipalId } from "../../auth/principal.ts";
import { microBatch } from "../../changes/micro-batch.ts";
import { scopeFromKey } from "../../dynamodb/tenant-scope.ts";
import { type Consumption, countUsage } from "./usage-store.ts";

/** An answer that took something, as it lies in the table: a message of a conversation or a completion for a program. */
export interface CountedAnswer {
  readonly pk: string;
  readonly message_id?: string;
  readonly id?: string;
  readonly asked_by?: string;
  readonly key_id?: string;
  readonly persona_id?: string | null;
  readonly created_at: string;
  /** How many calls it stands for; one where nothing is said. */
  readonly calls?: number;
  readonly usage: Usage;
}

function consumptionOf({
  message_id,
  id,
  asked_by,
  key_id,
  persona_id,
  created_at,
  calls = 1,
  usage,
}: CountedAnswer): Consumption {
  return {
    id: String(message_id ?? id),
    day: created_at.slice(0, 10),
    // A visitor is nobody in particular.
    user_id: asked_by !== undefined && isPrincipalId(asked_by) ? asked_by : null,
    key_id: key_id ?? null,
    persona_id: persona_id ?? null,
    model: usage.model,
    requests: calls,
    usage,
  };
}

/** Counts what an answer took, once; the answers of one delivery together. */
export const countAnswer = microBatch(async (answers: readonly CountedAnswer[]) => {
  for (const [tenantId, all] of Map.groupBy(answers, ({ pk }) => scopeFromKey(pk).tenantId)) {
    await countUsage({ tenantId }, all.map(consumptionOf));
  }
});
