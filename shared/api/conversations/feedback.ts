import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Integer, Limit, pageOf, Timestamp, textOfAtMost } from "../fields.ts";

/** Rating of a reply by a user. */
export const Feedback = v.object({
  id: Id,
  message_id: Id,
  conversation_id: Id,
  user_id: v.string(),
  persona_id: describe(v.nullable(v.string()), "The persona that gave the reply. Null for none."),
  persona_version: v.nullable(Integer),
  rating: describe(v.nullable(v.picklist(["up", "down"])), "Null if only a guardrail check was reported."),
  query_hash: describe(
    v.nullable(v.string()),
    "A keyed hash of the query, unique to the tenant. Equal queries have equal hashes; the hash reveals nothing else.",
  ),
  category: v.nullable(v.string()),
  comment: v.nullable(v.string()),
  wrong_rules: describe(v.optional(v.array(v.string()), []), "The guardrail rules whose finding was wrong."),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Feedback = v.InferOutput<typeof Feedback>;

const route = routeGroup({ group: "feedback", auth: "jwt" });

export const giveFeedbackRoute = route("POST /v1/feedback", {
  id: "giveFeedback",
  body: v.strictObject({
    message_id: Id,
    conversation_id: Id,
    rating: v.nullish(v.picklist(["up", "down"]), null),
    query: v.nullish(textOfAtMost(32_000), null),
    category: v.nullish(textOfAtMost(50), null),
    comment: v.nullish(textOfAtMost(4_000), null),
    wrong_rules: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.maxLength(100))),
        v.maxLength(50, "must name at most 50 rules"),
        v.check((rules) => new Set(rules).size === rules.length, "must not name a rule twice"),
      ),
    ),
  }),
  replies: { 201: Feedback, 200: Feedback },
  errors: ["not_found"],
  summary: "Submit feedback",
  description:
    "Requires `READ` access to the conversation. Each user has one rating per reply. Submitting again replaces it and returns 200. `wrong_rules` reports that guardrail checks of the reply were wrong; it names rules or categories of the `checks` of the message. Either it or `rating` is required; a request without one of them keeps what was submitted before. `query` is stored as a keyed hash only.",
});

export const listFeedbackRoute = route("GET /v1/feedback", {
  id: "listFeedback",
  query: v.object({
    limit: Limit,
    cursor: Cursor,
    persona_id: describe(v.optional(Id), "Only feedback on answers of this persona."),
  }),
  replies: { 200: pageOf("feedback", Feedback) },
  summary: "List feedback",
  description:
    "Returns feedback in reverse chronological order: the caller's own or, with `usage.read`, that of all users in the tenant.",
});

export const getFeedbackRoute = route("GET /v1/feedback/{id}", {
  id: "getFeedback",
  replies: { 200: Feedback },
  summary: "Get feedback",
  description: "Users can get their own feedback. `usage.read` gives access to all feedback in the tenant.",
});

export const deleteFeedbackRoute = route("DELETE /v1/feedback/{id}", {
  id: "deleteFeedback",
  errors: ["forbidden"],
  summary: "Delete feedback",
  description: "Only the author can delete feedback; others get 404.",
});
