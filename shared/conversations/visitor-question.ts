import * as v from "valibot";

/** Question of a widget visitor as the model got it, with redactions, for the owner of the website. */
export const StoredVisitorQuestion = v.object({
  text: v.string(),
  /** Question as it was searched, if it differs: complete without the conversation. */
  searched: v.optional(v.string()),
  /** Why the answer leaves the question open. */
  gap: v.optional(v.picklist(["no_source", "unknown"])),
});
