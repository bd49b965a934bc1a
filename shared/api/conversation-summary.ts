import * as v from "valibot";
import { describe, Id, Timestamp } from "./fields.ts";

export const ConversationSummary = v.object({
  text: v.string(),
  until_id: describe(Id, "The last message that the summary contains."),
  created_at: Timestamp,
});
