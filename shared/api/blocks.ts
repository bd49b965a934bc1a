import * as v from "valibot";
import { JsonObject } from "./json.ts";

export const TextBlock = v.object({ type: v.literal("text"), text: v.string() });
export const CodeBlock = v.object({ type: v.literal("code"), language: v.nullable(v.string()), code: v.string() });
export const TableBlock = v.object({
  type: v.literal("table"),
  columns: v.array(v.string()),
  rows: v.array(v.array(v.string())),
});
export const ListBlock = v.object({ type: v.literal("list"), ordered: v.boolean(), items: v.array(v.string()) });
const Citation = v.object({
  type: v.literal("citation"),
  index: v.number(),
  source_id: v.string(),
  source_type: v.string(),
  title: v.string(),
  collection_id: v.nullable(v.string()),
  uri: v.nullable(v.string()),
  quote: v.string(),
  score: v.number(),
});
export const ImageBlock = v.object({ type: v.literal("image"), url: v.string(), alt: v.string() });
export const VegaBlock = v.object({ type: v.literal("vega"), spec: JsonObject });
const MemoryProposal = v.object({
  type: v.literal("memory_proposal"),
  memory_id: v.string(),
  text: v.string(),
  scope: v.string(),
  category: v.string(),
});
const KnowledgeProposal = v.object({
  type: v.literal("knowledge_proposal"),
  proposal_id: v.string(),
  collection_id: v.nullable(v.string()),
  title: v.string(),
  text: v.string(),
});

/** One typed piece of a message. */
export const Block = v.variant("type", [
  TextBlock,
  CodeBlock,
  TableBlock,
  ListBlock,
  Citation,
  ImageBlock,
  VegaBlock,
  MemoryProposal,
  KnowledgeProposal,
]);

/** One typed piece of a message. */
export type Block = v.InferOutput<typeof Block>;

const given = <const Entries extends v.ObjectEntries>({ entries }: v.ObjectSchema<Entries, undefined>) =>
  v.strictObject(entries);

/** A block as somebody sends it: with nothing in it that a block does not have. */
export const BlockInput = v.variant("type", [
  given(TextBlock),
  given(CodeBlock),
  given(TableBlock),
  given(ListBlock),
  given(Citation),
  given(ImageBlock),
  given(VegaBlock),
  given(MemoryProposal),
  given(KnowledgeProposal),
]);
