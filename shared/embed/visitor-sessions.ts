import type { EmbedMessage } from "../api/embed/embed-message.ts";
import type { VisitorSession } from "../api/embed/visitors.ts";
import { readFeedback } from "../conversations/feedback/feedback-store.ts";
import { blocksToMarkdown } from "../conversations/markdown-blocks.ts";
import { findMessage, listMessages, type StoredMessage } from "../conversations/message-store.ts";
import { keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type TenantScope, tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import { hideSources } from "../knowledge/readers/hide-sources.ts";
import { truncate } from "../lib/truncate.ts";
import type { StoredEmbedSession } from "../visitors/embed-session-store.ts";
import { toEmbedMessage } from "./public-projections.ts";

/** Maximum length of a session's latest question in the list of sessions, in UTF-16 code units. */
const MAX_QUESTION_LENGTH = 200;

/** Maximum length of a stored page URL; longer ones are not stored. */
const MAX_PAGE_LENGTH = 500;

const MAX_RATINGS = 200;

/**
 * Returns origin and URL of the page that starts a session. Drops query and fragment, which can contain personal data.
 * @param origin origin from the browser's header
 * @param page URL from the widget; ignored if its origin differs from `origin`
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

/** Returns the visitor's ratings of a session's answers, by message id. */
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

/** Counts the good and the bad ratings. */
export function countRatings(ratings: ReadonlyMap<string, "up" | "down">): {
  readonly up: number;
  readonly down: number;
} {
  const count = (rating: "up" | "down") => [...ratings.values()].filter((each) => each === rating).length;
  return { up: count("up"), down: count("down") };
}

/**
 * Returns the text of a question as the owner of the website sees it. If a check flagged the question, this is the redacted
 * text that the model got, which the answer stores; empty if there is no answer.
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

/**
 * Returns a message as the owner of the website sees it. For a flagged question, reads its answer, which stores the redacted
 * text.
 */
export async function toOwnerMessage(scope: UserScope, message: StoredMessage): Promise<EmbedMessage> {
  const [visible = message] = await hideSources(scope, [message]);
  const projection = toEmbedMessage(visible);
  const { flagged, conversation_id, reply_id } = message;
  if (message.role !== "user" || !flagged) return projection;
  const answer = reply_id === undefined ? undefined : await findMessage(scope, conversation_id, reply_id);
  return { ...projection, content: [{ type: "text", text: toQuestionText(message, answer) }] };
}

/** Returns a session as the owner of the website sees it, with its ratings and latest question, which two queries read. */
export async function toVisitorSession(
  scope: TenantScope,
  session: StoredEmbedSession,
  ratings: ReadonlyMap<string, "up" | "down"> | undefined = undefined,
): Promise<VisitorSession> {
  const {
    conversation_id,
    visitor_id,
    identified_as,
    origin,
    page,
    form,
    messages_sent,
    created_at,
    expires_at,
    deleted_at,
  } = session;
  const [given, last_question] =
    messages_sent > 0
      ? await Promise.all([ratings ?? findRatings(scope, session), findLastQuestion(scope, session)])
      : [new Map<string, "up" | "down">(), null];
  return {
    id: conversation_id,
    visitor_id,
    is_identified: identified_as !== null,
    origin,
    page,
    form,
    messages_sent,
    last_question,
    ratings: countRatings(given),
    created_at,
    expires_at,
    deleted_at,
  };
}
