import { defineItem } from "../../define-item.ts";

export const listedFeedbackItem = defineItem({
  type: "listed-feedback",
  keys: {
    /** Copy of a feedback in the tenant's list of all feedback. */
    listedFeedback: (tenant: string, feedback: string) => ({ pk: `${tenant}#feedback`, sk: feedback }),
  },
  index: {
    /** Feedback on the answers of a persona. */
    personaFeedback: (tenant: string, persona: string, feedback: string) => ({
      gsi1pk: `${tenant}#persona#${persona}#feedback`,
      gsi1sk: feedback,
    }),
  },
  recordsActor: ["put", "update"],
  processors: ["cascade"],
  audit: false,
  erasedWith: "parent",
});
