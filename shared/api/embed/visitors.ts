import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { BooleanParam, Cursor, describe, Id, Integer, limitParam, PathId, pageOf, Timestamp } from "../fields.ts";
import { Day } from "../governance/usage.ts";
import { EmbedMessage } from "./embed-message.ts";
import { VisitorEntries } from "./visitor-form.ts";

const Rating = v.picklist(["up", "down"]);

/** Session of a visitor as the owner of the site sees it. */
export const VisitorSession = v.object({
  id: describe(Id, "The id of the session for its owner. It gives no access to the session as the visitor."),
  visitor_id: describe(v.string(), "A hash. The same for all sessions of a visitor whom the website named."),
  is_identified: describe(v.boolean(), "True if the website named the visitor."),
  origin: describe(v.nullable(v.string()), "The origin of the page on which the session started."),
  page: describe(
    v.nullable(v.string()),
    "The page on which the session started, without query and fragment. Null if the widget did not name it.",
  ),
  form: describe(v.nullable(VisitorEntries), "The values that the visitor entered before the chat."),
  messages_sent: describe(Integer, "The number of questions."),
  last_question: describe(v.nullable(v.string()), "The first 200 characters of the latest question."),
  ratings: v.object({ up: Integer, down: Integer }),
  created_at: Timestamp,
  expires_at: describe(Timestamp, "When the visitor can no longer continue the session."),
  deleted_at: describe(Timestamp, "When the session is deleted. The retention of the policy can delete it earlier."),
});
export type VisitorSession = v.InferOutput<typeof VisitorSession>;

const VisitorMessage = v.object({ ...EmbedMessage.entries, rating: v.nullable(Rating) });

const Reasons = v.object({
  no_source: describe(Integer, "Answers that cite no source."),
  unknown: describe(Integer, "Answers that say that they do not know."),
  disliked: describe(Integer, "Other answers that visitors rated `down`."),
});

/** Question of visitors without a good answer, with the questions that have the same words. */
export const VisitorQuestion = v.object({
  id: v.string(),
  question: describe(v.string(), "The latest wording, at most 500 characters."),
  count: describe(Integer, "The number of answers that were not good."),
  reasons: Reasons,
  status: v.picklist(["open", "answered"]),
  session_id: describe(Id, "The session in which it was asked last; it may be deleted."),
  document: describe(
    v.nullable(v.object({ collection_id: Id, document_id: Id })),
    "The document that answers the question.",
  ),
  answered_at: v.nullable(Timestamp),
  first_asked_at: Timestamp,
  last_asked_at: Timestamp,
});
export type VisitorQuestion = v.InferOutput<typeof VisitorQuestion>;

/** Open questions about the same topic, in one page of the list. */
const QuestionTopic = v.object({
  question: describe(v.string(), "The question that was asked most often, which names the topic."),
  question_ids: describe(v.array(v.string()), "The questions of the page, the last asked first."),
  count: describe(Integer, "The sum of their counts."),
  last_asked_at: Timestamp,
  collection: describe(
    v.nullable(v.object({ id: Id, name: v.string() })),
    "The collection with the nearest document that visitors can find, which probably should contain the answer. `null` if none is near.",
  ),
});
export type QuestionTopic = v.InferOutput<typeof QuestionTopic>;

/** Maximum number of questions in a page, which are grouped together. */
export const MAX_QUESTIONS = 200;

/** Maximum number of topics of a page for which a collection is searched; each takes a search. */
export const MAX_SEARCHED_TOPICS = 20;

const figures = {
  opens: describe(Integer, "Sessions that started on the day."),
  chats: describe(Integer, "Sessions of the day in which the visitor sent a message or asked for a person."),
  handed_over: describe(Integer, "Sessions of the day for which a person was asked for."),
  resolved_alone: describe(Integer, "The chats of the day that are not among `handed_over`."),
  waiting_seconds: describe(
    v.nullable(v.number()),
    "The average wait of the visitors to whom a person came on the day; null if there are none.",
  ),
  unanswered: describe(Integer, "Answers of the day that cite no source or say that they do not know."),
  ratings: describe(v.object({ up: Integer, down: Integer }), "On the day of the first rating of an answer."),
  cost_usd: describe(v.number(), "The cost of the answers whose model has a known price."),
};

/** Figures of a website on one UTC day. */
const VisitorDay = v.object({ day: v.string(), ...figures });
export type VisitorDay = v.InferOutput<typeof VisitorDay>;

const route = routeGroup({ group: "embed-keys", auth: "jwt", capability: "embed.manage" });

const SessionParams = v.object({ id: PathId, session_id: PathId });

/** Page size of sessions: each takes two queries of its own. */
const SessionLimit = limitParam(50, 20);

export const listVisitorSessionsRoute = route("GET /v1/tenant/embed-keys/{id}/sessions", {
  id: "listVisitorSessions",
  query: v.object({ limit: SessionLimit, cursor: Cursor }),
  replies: { 200: pageOf("sessions", VisitorSession) },
  mediaTypes: ["application/json", "text/csv"],
  replyHeaders: ["Link"],
  summary: "List the sessions of visitors",
  description:
    'Returns the sessions of an embed key, the latest first, also those that visitors can no longer continue, for as long as the key\'s `session_days` and the retention of the policy keep them. Send `Accept: text/csv` to get rows with `session_id`, `visitor_id`, `is_identified`, `form`, `page`, `started_at`, `last_message_at`, `messages` (number of questions), `handover` (status of the latest hand-over; empty without one), `waiting_seconds` (until a person came or the wait ended), `answered_by` (the person), `unanswered`, `ratings_up`, `ratings_down`, `cost_usd` and `outcome` (reason for which the person returned or closed the session). The header `Link` with `rel="next"` names the next page, whose rows have no header line: pages one after another are one file.',
});

export const getVisitorSessionRoute = route("GET /v1/tenant/embed-keys/{id}/sessions/{session_id}", {
  id: "getVisitorSession",
  params: SessionParams,
  query: v.object({ limit: limitParam(100, 50), cursor: Cursor }),
  replies: { 200: v.object({ session: VisitorSession, ...pageOf("messages", VisitorMessage).entries }) },
  summary: "Get the session of a visitor",
  description:
    "Returns the session with its messages in chronological order. What guardrail checks removed from a question before the model got it is not shown; such a question is cut after 500 characters.",
});

export const getVisitorStatisticsRoute = route("GET /v1/tenant/embed-keys/{id}/statistics", {
  id: "getVisitorStatistics",
  query: v.object({ from: v.optional(Day), to: v.optional(Day) }),
  replies: {
    200: v.object({ from: v.string(), to: v.string(), days: v.array(VisitorDay), totals: v.object(figures) }),
  },
  summary: "Get figures of the visitors by day",
  description:
    "Returns the figures of an embed key for each of the UTC days from `from` to `to`, both inclusive, at most 31. `to` defaults to today, and `from` defaults to a period of 30 days that ends with `to`. Figures are recorded within seconds and remain when sessions are deleted.",
});

export const deleteVisitorSessionRoute = route("DELETE /v1/tenant/embed-keys/{id}/sessions/{session_id}", {
  id: "deleteVisitorSession",
  params: SessionParams,
  summary: "Delete the session of a visitor",
  description: "Deletes the session with its messages, files and ratings. The visitor's widget starts a new one.",
});

export const listVisitorQuestionsRoute = route("GET /v1/tenant/embed-keys/{id}/questions", {
  id: "listVisitorQuestions",
  query: v.object({
    status: v.optional(v.picklist(["open", "answered"]), "open"),
    topics: describe(BooleanParam, "`true` groups the questions of the page by topic."),
    limit: limitParam(MAX_QUESTIONS, 50),
    cursor: Cursor,
  }),
  replies: {
    200: v.object({
      ...pageOf("questions", VisitorQuestion).entries,
      topics: describe(
        v.nullable(v.array(QuestionTopic)),
        "The topics of the questions in the page, the most frequent first; `null` without `topics=true`.",
      ),
    }),
  },
  summary: "List unanswered questions",
  description: `Returns questions of visitors whose answer cites no source, says that it does not know, or was rated \`down\`, the last asked first. Questions with the same significant words are one entry. An entry is deleted 90 days after it was asked last, or earlier if the policy keeps conversations for fewer days.\n\n\`topics=true\` groups the questions of the page by meaning, or by their words without an embedding provider, and names the collection that probably should contain the answer. It is found among the collections of the persona that the whole tenant can read, or among all of these if the persona has none, for the ${MAX_SEARCHED_TOPICS} most frequent topics. An API key needs the scope \`knowledge.read\` for it.`,
});

export const updateVisitorQuestionRoute = route("PATCH /v1/tenant/embed-keys/{id}/questions/{question_id}", {
  id: "updateVisitorQuestion",
  params: v.object({ id: PathId, question_id: v.pipe(v.string(), v.regex(/^[0-9a-f-]{32,36}$/)) }),
  body: v.strictObject({
    status: v.picklist(["open", "answered"]),
    document: v.nullish(v.strictObject({ collection_id: Id, document_id: Id }), null),
  }),
  replies: { 200: VisitorQuestion },
  errors: ["conflict"],
  summary: "Answer or reopen a question",
  description:
    "Sets an entry to `answered`, with the document that answers it if there is one: write the answer with `createDocument` into a collection of the persona that the whole tenant can read. A later question without a good answer opens the entry again.",
});
