import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Integer, nonEmptyText, Timestamp } from "../fields.ts";

/** Maximum number of messages in one request: they are stored in one transaction. */
export const MAX_IMPORTED_MESSAGES = 50;

/** Maximum length of an imported message. In UTF-8, it stays below the 400 KB that DynamoDB allows per item. */
export const MAX_IMPORTED_CHARACTERS = 60_000;

const ImportedMessage = v.strictObject({
  role: v.picklist(["user", "assistant"], "must be user or assistant"),
  text: nonEmptyText(MAX_IMPORTED_CHARACTERS),
  created_at: v.optional(Timestamp),
});
export type ImportedMessage = v.InferOutput<typeof ImportedMessage>;

const route = routeGroup({ group: "messages", auth: "jwt" });

export const importMessagesRoute = route("POST /v1/conversations/{id}/messages/import", {
  id: "importMessages",
  body: v.strictObject({
    messages: v.pipe(
      v.array(ImportedMessage),
      v.minLength(1, "must not be empty"),
      v.maxLength(MAX_IMPORTED_MESSAGES, "must have at most 50 messages"),
    ),
  }),
  replies: { 200: v.object({ imported: Integer }) },
  errors: ["forbidden"],
  summary: "Import messages",
  description:
    "Appends messages of another assistant to a conversation of the caller, all or none, in the given order. Send a longer conversation in several requests, one after the other, each with an `Idempotency-Key`. The messages are marked as `imported`. They cost no tokens, and count as text of others in later answers.",
});
