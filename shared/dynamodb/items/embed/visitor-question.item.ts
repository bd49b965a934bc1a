import { defineItem } from "../../define-item.ts";

export const visitorQuestionItem = defineItem({
  type: "visitor-question",
  keys: {
    /** Question that visitors of a website asked without getting a good answer; `question` is a hash of its significant words. */
    visitorQuestion: (tenant: string, key: string, question: string) => ({
      pk: `${tenant}#visitor-questions`,
      sk: `${key}#${question}`,
    }),
  },
  index: {
    /** Questions of one website's visitors with the same status, in order of the time at which they were last asked. */
    visitorQuestionByTime: (tenant: string, key: string, status: string, lastAskedAt: string, question: string) => ({
      gsi1pk: `${tenant}#visitor-questions-of#${key}#${status}`,
      gsi1sk: `${lastAskedAt}#${question}`,
    }),
  },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
