import { listMessagesAfter, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { findEmbedKey } from "../tenancy/embed-key-store.ts";
import { findSessionOf } from "./embed-session-store.ts";
import { findHandover, requestHandover } from "./handover-store.ts";

type Answer = Pick<StoredMessage, "conversation_id" | "created_at" | "visitor_question">;

/** Asks for a person if the latest answers to a visitor left the questions open, as often in a row as the embed key says. */
export async function requestAfterGaps(scope: TenantScope, answer: Answer): Promise<void> {
  const { conversation_id, created_at, visitor_question } = answer;
  if (!visitor_question?.gap) return;
  const session = await findSessionOf(scope, conversation_id);
  const key = session && (await findEmbedKey(scope, session.key_id));
  const { after_unanswered: count = null } = key?.handover ?? {};
  if (!session || !key || count === null) return;
  const [latest, handover] = await Promise.all([
    listMessagesAfter(scope, conversation_id, undefined, 2 * count),
    findHandover(scope, conversation_id),
  ]);
  const answers = latest.filter(
    (message) => message.visitor_question !== undefined && message.created_at <= created_at,
  );
  // A person who returned the session knows of the answers before.
  const since = handover?.ended_at ?? handover?.requested_at ?? "";
  const open = answers.filter((message) => message.visitor_question?.gap && message.created_at > since);
  if (open.length < count || open.length < answers.length) return;
  await requestHandover(scope, key, session, { reason: "unanswered", question: visitor_question.text });
}
