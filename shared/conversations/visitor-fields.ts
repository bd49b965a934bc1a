import * as v from "valibot";
import { EndedToolCard } from "../api/embed/tool-card.ts";

/** Question of a visitor of a widget, as the model read it after redaction, for the owner of the website. */
export const StoredVisitorQuestion = v.object({
  text: v.string(),
  /** Searched form of the question, understandable without its conversation; absent if it is the question as asked. */
  searched: v.optional(v.string()),
  /** Reason why the answer leaves the question open: it cites no source, or it says that it does not know. */
  gap: v.optional(v.picklist(["no_source", "unknown"])),
});

/** Fields of stored messages in the conversations of visitors. */
export const visitorFields = {
  /** On an answer to a visitor: the question, for the owner of the website. */
  visitor_question: v.optional(StoredVisitorQuestion),
  /** On an answer to a visitor: the calls of tools. */
  tool_cards: v.optional(v.array(EndedToolCard)),
  /** On a message of a visitor to a person, which the assistant does not answer. */
  to_person: v.optional(v.literal(true)),
  /** On a message of a person to a visitor, whose id is `author_id`: the name that the visitor sees, null for none. */
  person: v.optional(v.object({ name: v.nullable(v.string()) })),
} as const;
