import type { EmbedMessage } from "../api/embed/embed-message.ts";
import type { VisitorSession } from "../api/embed/visitors.ts";
import { readFeedback } from "../conversations/feedback/feedback-store.ts";
import { blocksToMarkdown } from "../conversations/markdown-blocks.ts";
import { findMessage, listMessages, type StoredMessage } from "../conversations/message-store.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { truncate } from "../lib/truncate.ts";
import type { StoredEmbedSession } from "./embed-session-store.ts";
import { toEmbedMessage } from "./public-projections.ts";

/** Maximum length of the latest question in a list, in characters. */
const MAX_QUESTION_LENGTH = 200;

/** Longer addresses of pages are not stored. */
const MAX_PAGE_LENGTH = 500;

const MAX_RATINGS = 200;

/**
 * Returns the page on which a session starts, without query and fragment, which can contain personal data.
 * @param page page as the widget names it; ignored unless the browser confirms its origin
 */
export function toFirstPage(
  origin: string | undefined,
  page: string | undefined,
): Pick<StoredEmbedSession, "origin" | "page"> {
  if (origin === undefined) return { origin: null, page: null };
  if (page === undefined || !URL.canParse(page)) return { origin, page: null };
  const url = new URL(page);
  const address = url.origin + url.pathname;
  return { origin, page: url.origin === origin && address.length <= MAX_PAGE_LENGTH ? address : null };
}

/** Returns the ratings of a session by the id of the message. */
export async function findRatings(
  scope: TenantScope,
  { conversation_id }: StoredEmbedSession,
): Promise<ReadonlyMap<string, "up" | "down">> {
  const { pk } = keys.conversation(scope.tenantId, conversation_id);
  const items = await tenantTable(scope).query({ pk, prefix: keyPrefixes.feedback, limit: MAX_RATINGS });
  return new Map(
    items.map(readFeedback).flatMap(({ message_id, rating }) => (rating ? [[message_id, rating] as const] : [])),
  );
}

/**
 * Returns the text of a question for the owner of the website. If a check found something in it, returns it as the model got it;
 * empty without an answer.
 */
function toQuestionText({ flagged, content }: StoredMessage, answer: StoredMessage | undefined): string {
  return flagged ? (answer?.visitor_question?.text ?? "") : blocksToMarkdown(content);
}

/** Returns the beginning of the latest question of a session, or null. */
async function findLastQuestion(scope: TenantScope, { conversation_id }: StoredEmbedSession): Promise<string | null> {
  // An answer, and the question before it.
  const { entries } = await listMessages(scope, conversation_id, { order: "desc", limit: 2 });
  const question = entries.find(({ role }) => role === "user");
  const answer = entries.find(({ question_id }) => question_id === question?.message_id);
  return question ? truncate(toQuestionText(question, answer), MAX_QUESTION_LENGTH) : null;
}

/** Projects a message for the owner of the website. If a check found something in a question, reads its answer as well. */
export async function toOwnerMessage(scope: TenantScope, message: StoredMessage): Promise<EmbedMessage> {
  const projection = toEmbedMessage(message);
  const { flagged, conversation_id, reply_id } = message;
  if (message.role !== "user" || !flagged) return projection;
  const answer = reply_id === undefined ? undefined : await findMessage(scope, conversation_id, reply_id);
  return { ...projection, content: [{ type: "text", text: toQuestionText(message, answer) }] };
}

/** Projects a session for the owner of the website. Takes two queries. */
export async function toVisitorSession(
  scope: TenantScope,
  session: StoredEmbedSession,
  ratings: ReadonlyMap<string, "up" | "down"> | undefined = undefined,
): Promise<VisitorSession> {
  const { conversation_id, visitor_id, identified_as, origin, page, messages_sent, created_at, expires_at } = session;
  const [given, last_question] =
    messages_sent > 0
      ? await Promise.all([ratings ?? findRatings(scope, session), findLastQuestion(scope, session)])
      : [new Map<string, "up" | "down">(), null];
  const count = (rating: "up" | "down") => [...given.values()].filter((each) => each === rating).length;
  return {
    id: conversation_id,
    visitor_id,
    is_identified: identified_as !== null,
    origin,
    page,
    messages_sent,
    last_question,
    ratings: { up: count("up"), down: count("down") },
    created_at,
    expires_at,
    deleted_at: session.deleted_at ?? expires_at,
  };
}
