import type { MessageCheck, Usage } from "../../api/conversations/messages.ts";
import { isUserId } from "../../api/user-ids.ts";
import { microBatch } from "../../changes/micro-batch.ts";
import { scopeFromKey } from "../../dynamodb/tenant-scope.ts";
import type { Charges } from "../../lib/charges.ts";
import { countUsage } from "./count-usage.ts";
import type { UsageEvent } from "./usage-store.ts";

/**
 * Item of a reply to count: a chat message, or a completion of the OpenAI-compatible API, that consumed tokens or in
 * which a check found something.
 */
export interface CountableReply {
  readonly pk: string;
  /** Id of the message; absent for completions. */
  readonly message_id?: string;
  /** Id of the completion; absent for messages. */
  readonly id?: string;
  readonly asked_by?: string;
  readonly key_id?: string;
  readonly persona_id?: string | null;
  readonly persona_version?: number | null;
  readonly created_at: string;
  /** Number of API calls that a completion record combines; 1 by default. */
  readonly calls?: number;
  readonly model?: string | null;
  /** Processing time of the reply, in milliseconds. */
  readonly duration_ms?: number;
  /** Null for a reply without a model call, because its question was blocked. */
  readonly usage: Usage | null;
  readonly checks?: readonly MessageCheck[];
  /** Question of a widget visitor that the reply answers. */
  readonly visitor_question?: { readonly gap?: string };
  /** Budget counters to which the reply is charged. */
  readonly charges?: Charges;
}

export const noUsage: Usage = { model: "", input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** Converts a reply to the event that is counted. */
export function toUsageEvent({
  message_id,
  id,
  asked_by,
  key_id,
  persona_id,
  persona_version,
  created_at,
  calls = 1,
  model,
  usage,
  duration_ms = 0,
  checks = [],
  visitor_question,
  charges,
}: CountableReply): UsageEvent {
  return {
    id: String(message_id ?? id),
    day: created_at.slice(0, 10),
    // Widget visitors are not counted by user.
    user_id: asked_by !== undefined && isUserId(asked_by) ? asked_by : null,
    key_id: key_id ?? null,
    persona_id: persona_id ?? null,
    persona_version: persona_version ?? null,
    model: usage?.model ?? model ?? "",
    requests: usage ? calls : 0,
    runs: usage && message_id !== undefined ? 1 : 0,
    charges,
    usage: usage ?? noUsage,
    duration_ms,
    visitors: visitor_question?.gap ? { unanswered: 1 } : {},
    // A model finds categories without a rule.
    rules: checks.flatMap(({ rules, categories }) => (rules.length > 0 ? rules : categories)),
  };
}

/** Counts the usage of a reply exactly once. Replies that arrive within a short time are counted as one batch. */
export const countReplyUsage = microBatch(async (replies: readonly CountableReply[]) => {
  for (const [tenantId, ofTenant] of Map.groupBy(replies, ({ pk }) => scopeFromKey(pk).tenantId)) {
    await countUsage({ tenantId }, ofTenant.map(toUsageEvent));
  }
});
