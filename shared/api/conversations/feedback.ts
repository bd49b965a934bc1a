import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Cursor, Id, IdParams, Limit, pageOf, Timestamp } from "../fields.ts";

/** What somebody thinks of an answer. */
export const Feedback = v.object({
  id: Id,
  message_id: Id,
  conversation_id: Id,
  user_id: v.string(),
  rating: v.picklist(["up", "down"]),
  query_hash: v.pipe(
    v.nullable(v.string()),
    v.description(
      "Keyed hash of the question, per tenant: equal for equal questions, and nothing else to be learned from it",
    ),
  ),
  category: v.nullable(v.string()),
  comment: v.nullable(v.string()),
  created_at: Timestamp,
  updated_at: Timestamp,
});
/** What somebody thinks of an answer. */
export type Feedback = v.InferOutput<typeof Feedback>;

const group = { group: "feedback", auth: "jwt" } as const;

export const giveFeedback = defineRoute({
  ...group,
  id: "giveFeedback",
  method: "POST",
  path: "/v1/feedback",
  body: v.strictObject({
    message_id: Id,
    conversation_id: Id,
    rating: v.picklist(["up", "down"]),
    query: v.nullish(v.pipe(v.string(), v.maxLength(32_000, "must have at most 32,000 characters")), null),
    category: v.nullish(v.pipe(v.string(), v.maxLength(50, "must have at most 50 characters")), null),
    comment: v.nullish(v.pipe(v.string(), v.maxLength(4_000, "must have at most 4,000 characters")), null),
  }),
  replies: { 201: Feedback, 200: Feedback },
  errors: ["not_found"],
  summary: "Rate an answer",
  description:
    "Needs READ access to the conversation. One for each person and answer: another replaces it (200). `query` is hashed with a key before anything is stored.",
});

export const listFeedback = defineRoute({
  ...group,
  id: "listFeedback",
  method: "GET",
  path: "/v1/feedback",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("feedback", Feedback) },
  errors: ["invalid_cursor"],
  summary: "List feedback",
  description: "The caller's own, newest first; all of the tenant's with `usage.read`.",
});

export const getFeedback = defineRoute({
  ...group,
  id: "getFeedback",
  method: "GET",
  path: "/v1/feedback/{id}",
  params: IdParams,
  replies: { 200: Feedback },
  errors: ["not_found"],
  summary: "Read feedback",
  description: "One's own, or anybody's with `usage.read`.",
});

export const deleteFeedback = defineRoute({
  ...group,
  id: "deleteFeedback",
  method: "DELETE",
  path: "/v1/feedback/{id}",
  params: IdParams,
  replies: { 204: null },
  errors: ["not_found", "forbidden"],
  summary: "Take feedback back",
  description: "Whoever gave it can.",
});
