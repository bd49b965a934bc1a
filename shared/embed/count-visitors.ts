import { isVisitorId } from "../api/user-ids.ts";
import { microBatch } from "../changes/micro-batch.ts";
import type { Change } from "../changes/processor.ts";
import { readFeedback } from "../conversations/feedback/feedback-store.ts";
import type { Item } from "../dynamodb/table.ts";
import { scopeFromKey, type TenantScope } from "../dynamodb/tenant-scope.ts";
import { noUsage } from "../governance/usage/count-reply-usage.ts";
import { countUsage } from "../governance/usage/count-usage.ts";
import type { UsageEvent, VisitorFigures } from "../governance/usage/usage-store.ts";
import { findSessionOf, readSession } from "../visitors/embed-session-store.ts";
import { readHandover } from "../visitors/handover-store.ts";

/** Figures that a change adds to one day of a website. */
interface VisitorCount {
  /** Id that is the same if the change is processed again. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly key_id: string;
  readonly visitors: Partial<VisitorFigures>;
}

/** Returns the count of a session as a chat, which its first message and a hand-over without one have in common. */
const ofChat = (conversationId: string, key_id: string, at: string): VisitorCount => ({
  ...{ id: `${conversationId}#chat`, at, key_id },
  visitors: { chats: 1 },
});

/** Counts a session when it starts, and as a chat with its first message; both on the day of its start. */
function ofSession(before: Item | undefined, after: Item): VisitorCount[] {
  const { conversation_id, key_id, created_at: at, messages_sent } = readSession(after);
  if (!before) return [{ id: `${conversation_id}#open`, at, key_id, visitors: { opens: 1 } }];
  const isFirst = messages_sent > 0 && readSession(before).messages_sent === 0;
  return isFirst ? [ofChat(conversation_id, key_id, at)] : [];
}

/**
 * Counts a session once when a person is asked for, on the day of its start, so that the sessions that the assistant resolved alone
 * are the others of the day; and each wait on the day on which a person came.
 */
function ofHandover(before: Item | undefined, after: Item): VisitorCount[] {
  const { conversation_id, key_id, requested_at, claimed_at, session, status } = readHandover(after);
  if (!before) {
    const { created_at: at, messages_sent } = session;
    const handedOver = { id: `${conversation_id}#handover`, at, key_id, visitors: { handed_over: 1 } };
    return messages_sent === 0 ? [handedOver, ofChat(conversation_id, key_id, at)] : [handedOver];
  }
  if (status !== "claimed" || claimed_at === null || readHandover(before).status !== "waiting") return [];
  const waiting_seconds = Math.round((Date.parse(claimed_at) - Date.parse(requested_at)) / 1_000);
  const id = `${conversation_id}#claim#${requested_at}`;
  return [{ id, at: claimed_at, key_id, visitors: { claims: 1, waiting_seconds } }];
}

/** Counts a rating of a visitor on the day on which it was first given. */
async function ofFeedback(scope: TenantScope, before: Item | undefined, after: Item): Promise<VisitorCount[]> {
  const { id, user_id, conversation_id, rating, created_at: at, updated_at } = readFeedback(after);
  const previous = before && readFeedback(before).rating;
  if (!isVisitorId(user_id) || rating === previous) return [];
  const session = await findSessionOf(scope, conversation_id);
  if (!session) return [];
  const change = (value: "up" | "down") => Number(rating === value) - Number(previous === value);
  const visitors = { rated_up: change("up"), rated_down: change("down") };
  return [{ id: `${id}#${updated_at}`, at, key_id: session.key_id, visitors }];
}

const toEvent = ({ id, at, key_id, visitors }: VisitorCount): UsageEvent => ({
  ...{ id, day: at.slice(0, 10), key_id, user_id: null, persona_id: null, persona_version: null, model: "" },
  ...{ requests: 0, runs: 0, usage: noUsage, duration_ms: 0, rules: [], visitors },
});

/** Adds figures exactly once. Those that arrive within a short time are counted as one batch. */
const count = microBatch(async (counts: readonly (VisitorCount & TenantScope)[]) => {
  for (const [tenantId, ofTenant] of Map.groupBy(counts, (each) => each.tenantId)) {
    await countUsage({ tenantId }, ofTenant.map(toEvent));
  }
});

/** Types of changes that change the figures of a website's visitors. */
export const visitorChangeTypes: readonly string[] = [
  ...["embed-session-created", "embed-session-updated", "handover-created", "handover-updated"],
  ...["feedback-created", "feedback-updated"],
];

/** Counts what a change adds to the figures of a website's visitors. */
export async function countVisitors({ before, after }: Change): Promise<void> {
  if (!after) return;
  const scope = scopeFromKey(String(after.pk));
  const { discriminator } = after;
  const added =
    discriminator === "embed-session"
      ? ofSession(before as Item | undefined, after as Item)
      : discriminator === "handover"
        ? ofHandover(before as Item | undefined, after as Item)
        : await ofFeedback(scope, before as Item | undefined, after as Item);
  await Promise.all(added.map((each) => count({ ...scope, ...each })));
}
