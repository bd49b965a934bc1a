import * as v from "valibot";

/** Question of a visitor of a widget, as the model read it after redaction, for the owner of the website. */
export const StoredVisitorQuestion = v.object({
  text: v.string(),
  /** Searched form of the question, understandable without its conversation; absent if it is the question as asked. */
  searched: v.optional(v.string()),
  /** Reason why the answer leaves the question open: it cites no source, or it says that it does not know. */
  gap: v.optional(v.picklist(["no_source", "unknown"])),
});
