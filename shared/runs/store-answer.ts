import { addMessage, type StoredMessage } from "../conversations/message-store.ts";
import { isRetryableError } from "../dynamodb/is-retryable-error.ts";
import { keys } from "../dynamodb/keys.ts";
import { allOf, anyOf, equals, isPerformed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { log } from "../lib/log.ts";
import { retryUntil } from "../lib/retry.ts";

/** Time during which a run retries to store its answer while the table is unavailable. */
export const STORE_TIMEOUT_MS = 150_000;

/**
 * Replaces the partial answer that the reaper stored.
 * @returns false if the answer is complete, or a user has edited it
 */
async function replaceUnfinished(scope: TenantScope, message: StoredMessage): Promise<boolean> {
  const { conversation_id, message_id, content, status, model, usage } = message;
  return isPerformed(
    tenantTable(scope).write({
      update: keys.message(scope.tenantId, conversation_id, message_id),
      set: { content, status, model, usage },
      condition: allOf([
        anyOf([equals({ status: "interrupted" }), equals({ status: "failed" })]),
        equals({ edited_at: null }),
      ]),
    }),
  );
}

const textLength = ({ content }: StoredMessage) => JSON.stringify(content).length;

/**
 * Stores the answer of a live run, with retries while the table is unavailable. If the reaper considered the run dead
 * and stored the logged part, a longer answer replaces it, so that no text is lost that clients have received.
 * @returns the answer that is stored now, which is the reaper's if it has at least as much text
 */
export async function storeAnswerOfRun(scope: TenantScope, message: StoredMessage): Promise<StoredMessage> {
  const store = async () => {
    const stored = await addMessage(scope, message);
    const isUnfinished = stored.status === "interrupted" || stored.status === "failed";
    const isLonger = message.status === "complete" || textLength(message) > textLength(stored);
    if (stored === message || !isUnfinished || !isLonger) return stored;
    if (!(await replaceUnfinished(scope, message))) return stored;
    log.info("answer of reaped run completed", { message_id: message.message_id, status: message.status });
    return message;
  };
  return retryUntil(store, isRetryableError, now() + STORE_TIMEOUT_MS);
}
