import { pathOf } from "#shared/api/define-route.ts";
import {
  deleteVisitorSessionRoute,
  getVisitorSessionRoute,
  getVisitorStatisticsRoute,
  listVisitorQuestionsRoute,
  listVisitorSessionsRoute,
  updateVisitorQuestionRoute,
} from "#shared/api/embed/visitors.ts";
import { listMessages } from "#shared/conversations/message-store.ts";
import { listQuestions, updateQuestion } from "#shared/embed/question-store.ts";
import { findTopics } from "#shared/embed/question-topics.ts";
import { sessionColumns, toSessionRows } from "#shared/embed/session-rows.ts";
import { findRatings, toOwnerMessage, toVisitorSession } from "#shared/embed/visitor-sessions.ts";
import { getVisitorStatistics } from "#shared/embed/visitor-statistics.ts";
import { toUsagePeriod } from "#shared/governance/usage/usage-period.ts";
import { csvReply } from "#shared/http/csv-reply.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { getDocument } from "#shared/knowledge/document-store.ts";
import { mapConcurrent } from "#shared/lib/map-concurrent.ts";
import { requireEmbedKey } from "#shared/tenancy/embed-key-store.ts";
import { deleteSession, getSessionOfKey, listSessionsOfKey } from "#shared/visitors/embed-session-store.ts";

export const deleteVisitorSessionHandler = endpoint(deleteVisitorSessionRoute, async ({ principal, params }) => {
  await deleteSession(principal, await getSessionOfKey(principal, params.id, params.session_id));
});

export const getVisitorSessionHandler = endpoint(getVisitorSessionRoute, async ({ principal, params, query }) => {
  const session = await getSessionOfKey(principal, params.id, params.session_id);
  const [ratings, { entries, next }] = await Promise.all([
    findRatings(principal, session),
    listMessages(principal, session.conversation_id, { order: "asc", ...query }),
  ]);
  return {
    session: await toVisitorSession(principal, session, ratings),
    messages: await Promise.all(
      entries.map(async (message) => ({
        ...(await toOwnerMessage(principal, message)),
        rating: ratings.get(message.message_id) ?? null,
      })),
    ),
    limit: query.limit,
    next_cursor: next,
  };
});

export const getVisitorStatisticsHandler = endpoint(getVisitorStatisticsRoute, async ({ principal, params, query }) =>
  getVisitorStatistics(principal, await requireEmbedKey(principal, params.id), toUsagePeriod(query)),
);

export const listVisitorQuestionsHandler = endpoint(listVisitorQuestionsRoute, async ({ principal, params, query }) => {
  const key = await requireEmbedKey(principal, params.id);
  const { entries, next } = await listQuestions(principal, params.id, query.status, query);
  const topics = query.topics ? await findTopics(principal, key, entries) : null;
  return { questions: [...entries], topics, limit: query.limit, next_cursor: next };
});

/** Maximum number of sessions whose details are read concurrently. */
const CONCURRENCY = 10;

export const listVisitorSessionsHandler = endpoint(
  listVisitorSessionsRoute,
  async ({ principal, params, query, headers }) => {
    await requireEmbedKey(principal, params.id);
    const { entries, next } = await listSessionsOfKey(principal, params.id, query);
    if (negotiateMediaType(headers, ["application/json", "text/csv"]) === "text/csv") {
      const page = new URLSearchParams({ limit: String(query.limit), cursor: next ?? "" });
      const link = `<${pathOf(listVisitorSessionsRoute, params)}?${page}>; rel="next"`;
      return csvReply(await toSessionRows(principal, entries), sessionColumns, {
        hasHeader: query.cursor === undefined,
        ...(next !== null && { headers: { link } }),
      });
    }
    const sessions = await mapConcurrent(entries, (session) => toVisitorSession(principal, session), CONCURRENCY);
    return { sessions, limit: query.limit, next_cursor: next };
  },
);

export const updateVisitorQuestionHandler = endpoint(
  updateVisitorQuestionRoute,
  async ({ principal, params, body }) => {
    const { document } = body;
    if (document) {
      await getDocument(principal, { collection_id: document.collection_id, id: document.document_id });
    }
    return updateQuestion(principal, params.id, params.question_id, body);
  },
);
