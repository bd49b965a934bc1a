import type { ScheduleInput } from "../api/schedules/schedules.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { authorizeTestSet } from "../evaluations/test-set-store.ts";
import { findReadableDocuments } from "../knowledge/search/readable-documents.ts";
import { invalidField, notFound } from "../lib/errors.ts";
import { findPersonaForChat } from "../personas/persona-for-chat.ts";
import type { StoredSchedule } from "./schedule-store.ts";

/**
 * Requires that the user may use what a schedule names: the persona, the conversation, the documents and the test set. Each run checks it again.
 * @throws ServiceError `not_found` or `forbidden`; `validation_failed` if the schedule would end before it starts, or for a question of one that
 * runs a test set
 */
export async function authorizeSchedule(
  principal: UserPrincipal,
  { persona_id, conversation_id, documents = [], question, ...times }: Partial<ScheduleInput>,
  before?: Pick<StoredSchedule, "starts_at" | "ends_at" | "set_id">,
): Promise<void> {
  const { starts_at, ends_at } = { ...before, ...times };
  if (starts_at && ends_at && ends_at <= starts_at) {
    throw invalidField("ends_at", "invalid_value", "must be after starts_at");
  }
  if (before?.set_id && question !== undefined) {
    throw invalidField("question", "not_applicable", "cannot be set, because the schedule runs a test set");
  }
  if (times.set_id) await authorizeTestSet(principal, times.set_id);
  if (persona_id && !(await findPersonaForChat(principal, persona_id))) throw notFound();
  if (conversation_id) await authorizeConversation(principal, conversation_id, "WRITE");
  const readable = await findReadableDocuments(principal, documents);
  if (documents.some(({ document_id }) => !readable.has(document_id))) throw notFound();
}
