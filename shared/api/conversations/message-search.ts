import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, limitParam, Timestamp } from "../fields.ts";
import { Message } from "./messages.ts";

/** Message that contains words of a search. */
export const MessageHit = v.object({
  conversation_id: Id,
  conversation_title: v.string(),
  message_id: Id,
  parent_id: describe(v.nullable(Id), "The message to whose thread the message belongs; null if none."),
  role: Message.entries.role,
  author_id: Message.entries.author_id,
  created_at: Timestamp,
  snippet: describe(v.string(), "The part of the message that matches best, as Markdown."),
  highlights: describe(
    v.array(v.object({ start: Integer, end: Integer })),
    "The matching words of the snippet, in UTF-16 code units.",
  ),
  score: describe(v.number(), "Higher is better. Only comparable within one response."),
});
export type MessageHit = v.InferOutput<typeof MessageHit>;

const MAX_RESULTS = 20;

const route = routeGroup({ group: "messages", auth: "jwt" });

export const searchMessagesRoute = route("GET /v1/messages/search", {
  id: "searchMessages",
  query: v.object({
    q: v.pipe(
      v.string(),
      v.check((text) => text.trim() !== "", "must not be empty"),
      v.maxLength(500, "must have at most 500 characters"),
    ),
    limit: limitParam(MAX_RESULTS, 10),
    folder_id: v.optional(Id),
    persona_id: v.optional(describe(Id, "The persona of the conversation.")),
    role: v.optional(describe(Message.entries.role, "`alert` finds alerts only.")),
    created_after: v.optional(Timestamp),
    created_before: v.optional(Timestamp),
  }),
  replies: { 200: v.object({ query: v.string(), results: v.array(MessageHit) }) },
  summary: "Search messages",
  description:
    "Finds messages by their words, best first: in the caller's conversations, and in those that others share with the caller among the 50 with the latest activity. A search considers the 60 best messages; a message is found within seconds after it is complete, by its first 16,000 characters. Messages that were stored before the deployment switched the search on (`MESSAGE_SEARCH`) are found once they are edited.",
});
