import { defineItem } from "../../define-item.ts";

const prefix = "feedback#";

export const feedbackItem = defineItem({
  type: "feedback",
  keys: {
    /** Feedback of a user on a message, in the partition of the conversation; one per user and message. */
    feedback: (tenant: string, conversation: string, message: string, user: string) => ({
      pk: `${tenant}#conversation#${conversation}`,
      sk: `${prefix}${message}#${user}`,
    }),
  },
  prefixes: { feedback: prefix },
  index: {
    ownFeedback: (tenant: string, user: string, feedback: string) => ({
      gsi1pk: `${tenant}#user#${user}#feedback`,
      gsi1sk: feedback,
    }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "feedback",
    target: ["conversation", "conversation_id"],
    id: "id",
    values: ["rating"],
    redacted: ["comment", "category"],
  },
  erasedWith: "owner",
});
