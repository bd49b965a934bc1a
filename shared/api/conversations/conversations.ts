import * as v from "valibot";
import { ConversationSummary } from "../conversation-summary.ts";
import { routeGroup } from "../define-route.ts";
import { BooleanParam, describe, Id, Integer, Limit, lineOf, pageOf, Timestamp } from "../fields.ts";
import { Tier } from "../tiers.ts";

export const ConversationTitle = lineOf(200);

/** Conversation as returned to a caller, with the caller's `access`. */
export const Conversation = v.object({
  id: Id,
  title: v.string(),
  title_origin: describe(
    v.optional(v.picklist(["none", "generated"])),
    "Absent if a person wrote the title; `none` before the first question.",
  ),
  tier: Tier,
  folder_id: v.nullable(Id),
  persona_id: v.nullable(Id),
  owner_id: v.string(),
  access: v.picklist(["owner", "WRITE", "READ"]),
  pinned: v.boolean(),
  temporary: describe(
    v.optional(v.boolean()),
    "True for a conversation that is in no list and no search, and is deleted a day after its last activity.",
  ),
  message_count: Integer,
  active_message_id: describe(
    v.optional(v.nullable(Id)),
    "Last message of the branch that a reader has chosen; null for the branch of the newest message.",
  ),
  has_branches: describe(v.optional(v.boolean()), "True if the conversation has more than one branch."),
  created_at: Timestamp,
  updated_at: Timestamp,
  last_activity_at: Timestamp,
});
export type Conversation = v.InferOutput<typeof Conversation>;

const route = routeGroup({ group: "conversations", auth: "jwt" });

export const createConversationRoute = route("POST /v1/conversations", {
  id: "createConversation",
  body: v.pipe(
    v.strictObject({
      title: describe(
        v.nullable(ConversationTitle),
        "With null, the conversation is named by its first question and then by the model. A title that a person sets is never replaced.",
      ),
      tier: describe(
        v.optional(Tier),
        "The processing tier. Defaults to the persona's tier, or THINKING without a persona.",
      ),
      folder_id: v.nullish(Id, null),
      persona_id: v.nullish(Id, null),
      temporary: describe(
        v.optional(v.boolean(), false),
        "Keeps the conversation out of lists, folders and search. Its answers neither use nor propose memories, and it is deleted a day after its last activity.",
      ),
    }),
    v.forward(
      v.check(
        ({ folder_id, temporary }) => !temporary || folder_id === null,
        "must be null for a temporary conversation",
      ),
      ["folder_id"],
    ),
  ),
  replies: { 201: Conversation },
  errors: ["not_found"],
  summary: "Create a conversation",
  description: "Returns 404 if the folder does not belong to the caller or the caller cannot use the persona.",
});

export const listConversationsRoute = route("GET /v1/conversations", {
  id: "listConversations",
  query: v.object({
    limit: Limit,
    cursor: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/, "must be the last_activity_at of the last item"),
      ),
    ),
    folder_id: v.optional(Id),
    pinned: BooleanParam,
    q: describe(
      v.optional(v.pipe(v.string(), v.maxLength(200))),
      "Words that the title contains, in any order and case.",
    ),
  }),
  replies: { 200: pageOf("conversations", Conversation) },
  summary: "List the caller's conversations",
  description:
    "Returns conversations in descending order of last activity. `cursor` is the `next_cursor` of the previous page, which is the `last_activity_at` of its last item. With filters, a page can have fewer items than `limit`, or none, although more follow: only a `next_cursor` of `null` marks the end.",
});

export const getConversationRoute = route("GET /v1/conversations/{id}", {
  id: "getConversation",
  replies: { 200: Conversation },
  summary: "Get a conversation",
});

export const updateConversationRoute = route("PATCH /v1/conversations/{id}", {
  id: "updateConversation",
  body: v.strictObject({
    title: v.optional(ConversationTitle),
    tier: v.optional(Tier),
    folder_id: v.nullish(Id),
    persona_id: v.nullish(Id),
    pinned: v.optional(v.boolean()),
    active_message_id: v.nullish(Id),
    temporary: describe(v.optional(v.literal(false)), "Keeps a temporary conversation that has no messages yet."),
  }),
  replies: { 200: Conversation },
  errors: ["forbidden", "conflict"],
  summary: "Update a conversation",
  description:
    "Only the owner can update a conversation. `active_message_id` chooses the branch that readers see, by its last message. Returns 404 if the folder does not belong to the caller or the caller cannot use the persona, and 409 if a temporary conversation would be moved into a folder, or kept although it has messages.",
});

export const getConversationSummaryRoute = route("GET /v1/conversations/{id}/summary", {
  id: "getConversationSummary",
  replies: { 200: ConversationSummary },
  summary: "Get the summary of a conversation",
  description:
    "The beginning of a conversation is summarized when it no longer fits into the window of the model: prompts then contain the summary, the latest messages, and earlier messages to which a question refers. Returns 404 while there is no summary.",
});

export const deleteConversationRoute = route("DELETE /v1/conversations/{id}", {
  id: "deleteConversation",
  errors: ["forbidden", "conflict"],
  summary: "Delete a conversation",
  description: "Deletes the conversation with all its contents. Only the owner can delete it.",
});
