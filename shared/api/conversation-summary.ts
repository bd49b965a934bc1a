import * as v from "valibot";
import { Id, Timestamp } from "./fields.ts";

export const ConversationSummary = v.object({
  text: v.string(),
  until_id: v.pipe(Id, v.description("The last message that the summary contains.")),
  created_at: Timestamp,
});
