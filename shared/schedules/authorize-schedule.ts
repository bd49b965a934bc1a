import type { ScheduleChanges } from "../api/schedules/schedules.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findReadableDocuments } from "../knowledge/search/readable-documents.ts";
import { invalidField, notFound } from "../lib/errors.ts";
import { findPersonaForChat } from "../personas/persona-for-chat.ts";

/**
 * Requires that the user may use what a schedule names: the persona, the conversation and the documents. Each run checks it again.
 * @throws ServiceError `not_found` or `forbidden`; `validation_failed` if the schedule would end before it starts
 */
export async function authorizeSchedule(
  principal: UserPrincipal,
  { persona_id, conversation_id, documents = [], ...times }: ScheduleChanges,
  before?: Pick<ScheduleChanges, "starts_at" | "ends_at">,
): Promise<void> {
  const { starts_at, ends_at } = { ...before, ...times };
  if (starts_at && ends_at && ends_at <= starts_at) {
    throw invalidField("ends_at", "invalid_value", "must be after starts_at");
  }
  if (persona_id && !(await findPersonaForChat(principal, persona_id))) throw notFound();
  if (conversation_id) await authorizeConversation(principal, conversation_id, "WRITE");
  const readable = await findReadableDocuments(principal, documents);
  if (documents.some(({ document_id }) => !readable.has(document_id))) throw notFound();
}
