import * as v from "valibot";
import { describe, Integer, Timestamp } from "./fields.ts";
import { JsonObject } from "./json.ts";

/**
 * Place of a passage in its document, for `GET …/documents/{document_id}/passages/{passage}`. Web pages and attached files have
 * no place in the knowledge, and a citation that a client writes can lack all of the fields.
 */
export const PassageLocation = v.object({
  document_id: v.optional(describe(v.string(), "The document that contains the passage.")),
  passage: v.optional(describe(Integer, "The position of the passage in the document, from 0.")),
  updated_at: v.optional(describe(Timestamp, "When the version of the document was added.")),
  is_outdated: v.optional(describe(v.boolean(), "True if the version is older than its collection permits.")),
  page: v.optional(
    describe(
      v.nullable(Integer),
      "The page of the snippet's first match, or on which the quote starts, from 1; null without pages.",
    ),
  ),
  heading: describe(
    v.optional(v.nullable(v.string())),
    "The headings above that place, outermost first; null if none.",
  ),
});

export const TextBlock = v.object({ type: v.literal("text"), text: v.string() });
export const CodeBlock = v.object({ type: v.literal("code"), language: v.nullable(v.string()), code: v.string() });
export const TableBlock = v.object({
  type: v.literal("table"),
  columns: v.array(v.string()),
  align: describe(
    v.optional(v.array(v.nullable(v.picklist(["left", "center", "right"])))),
    "The alignment of the columns, if the text states one; null for those without.",
  ),
  rows: describe(v.array(v.array(v.string())), "The cells. Those of answers are Markdown."),
});
export const ListBlock = v.object({
  type: v.literal("list"),
  ordered: v.boolean(),
  start: describe(v.optional(Integer), "The number of the first item of an ordered list, if it is not 1."),
  loose: describe(v.optional(v.boolean()), "True if blank lines separate the items, which are paragraphs then."),
  items: describe(v.array(v.string()), "The items. Those of answers are Markdown."),
});

const QuotePage = describe(v.nullable(Integer), "The page on which the quote starts, from 1; null without pages.");
const QuoteHeading = describe(v.nullable(v.string()), "The headings above the quote, outermost first; null if none.");

/** Quote for some of the references to a source. */
export const CitationQuote = v.object({
  quote: v.string(),
  page: QuotePage,
  heading: QuoteHeading,
  references: describe(
    v.array(Integer),
    "The references `[index]` in the answer that rest on the quote, counted from 0 in their order.",
  ),
});
export type CitationQuote = v.InferOutput<typeof CitationQuote>;

export const CitationBlock = v.object({
  type: v.literal("citation"),
  index: Integer,
  source_id: v.string(),
  source_type: v.string(),
  ...PassageLocation.entries,
  page: v.optional(QuotePage),
  heading: v.optional(QuoteHeading),
  title: v.string(),
  collection_id: v.nullable(v.string()),
  uri: v.nullable(v.string()),
  quote: describe(
    v.string(),
    "The sentence that the first reference to the source rests on, verbatim from the passage; empty if data was removed from it.",
  ),
  quotes: describe(
    v.optional(v.array(CitationQuote)),
    "The quotes by reference, the first of which is `quote`; only if references rest on different ones.",
  ),
  score: v.number(),
});
export const ImageBlock = v.object({ type: v.literal("image"), url: v.string(), alt: v.string() });
export const VegaBlock = v.object({ type: v.literal("vega"), spec: JsonObject });
export const MemoryProposalBlock = v.object({
  type: v.literal("memory_proposal"),
  memory_id: v.string(),
  text: v.string(),
  scope: v.string(),
  category: v.string(),
  read_untrusted: v.boolean(),
  replaces: v.optional(v.object({ memory_id: v.string(), text: v.string() })),
});
export const MemoryDeletionBlock = v.object({
  type: v.literal("memory_deletion"),
  memory_id: describe(v.string(), "The memory to delete if the user agrees."),
  text: v.string(),
});
export const KnowledgeProposalBlock = v.object({
  type: v.literal("knowledge_proposal"),
  proposal_id: v.string(),
  collection_id: v.nullable(v.string()),
  title: v.string(),
  text: v.string(),
});

export const FollowUpsBlock = v.object({
  type: v.literal("follow_ups"),
  questions: describe(v.array(v.string()), "Up to three questions that the user may ask next."),
});

/** Typed part of a message. */
export const Block = v.variant("type", [
  TextBlock,
  CodeBlock,
  TableBlock,
  ListBlock,
  CitationBlock,
  ImageBlock,
  VegaBlock,
  MemoryProposalBlock,
  MemoryDeletionBlock,
  KnowledgeProposalBlock,
  FollowUpsBlock,
]);
export type Block = v.InferOutput<typeof Block>;

const strict = <const Entries extends v.ObjectEntries>({ entries }: v.ObjectSchema<Entries, undefined>) =>
  v.strictObject(entries);

/** Block in a request: unknown fields are rejected. */
export const BlockInput = v.variant("type", [
  strict(TextBlock),
  strict(CodeBlock),
  strict(TableBlock),
  strict(ListBlock),
  strict(CitationBlock),
  strict(ImageBlock),
  strict(VegaBlock),
  strict(MemoryProposalBlock),
  strict(MemoryDeletionBlock),
  strict(KnowledgeProposalBlock),
  strict(FollowUpsBlock),
]);
