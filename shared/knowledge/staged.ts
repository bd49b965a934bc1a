import * as v from "valibot";
import type { KnowledgeDocument } from "../api/knowledge/documents.ts";
import { trusted } from "../dynamodb/item-reader.ts";
import { lacksAttribute } from "../dynamodb/table.ts";
import type { Placement } from "./placement.ts";

/** Fields of a document that a sync changes when it is completed. */
export type StagedChanges = Partial<Pick<KnowledgeDocument, "readers" | "uri" | "metadata" | "title" | "file_name">>;

/** Attributes of a document that a sync has changed without showing it yet (decision 0105). */
export const stagedFields = {
  /** Number of the sync of the collection with which the following attributes take effect. */
  staged_in: v.optional(v.number()),
  staged_changes: v.optional(trusted<StagedChanges>()),
  /** Placement of the staged version. It is included in the statistics of the index. */
  staged_placement: v.optional(trusted<Placement>()),
  staged_removal: v.optional(v.boolean()),
};
/** Condition that no sync is about to change a document. */
export const notStaged = lacksAttribute("staged_in");

export const stagedNames = Object.keys(stagedFields);

type Staged = v.InferOutput<v.ObjectSchema<typeof stagedFields, undefined>> & {
  readonly deleted?: boolean | undefined;
};

/** Returns a document as its next indexing must see it: with the title and readers that the staged version will have. */
export const toIndexable = <Document extends Staged>(document: Document): Document => ({
  ...document,
  ...document.staged_changes,
});

/**
 * Returns a document as readers see it now. A completed sync shows all that it has staged at the same moment, when the number of
 * its collection grows; the documents are updated afterwards.
 * @param completedSyncs number of completed syncs of the collection
 */
export function asVisible<Document extends Staged>(document: Document, completedSyncs: number): Document {
  const { staged_in, staged_removal, staged_changes, staged_placement } = document;
  if (staged_in === undefined || staged_in > completedSyncs) return document;
  if (staged_removal) return { ...document, deleted: true };
  return { ...document, ...staged_changes, ...(staged_placement && toActive(staged_placement)) };
}

/** Returns the attributes of a document whose latest version has this placement. */
export const toActive = (placement: Placement) =>
  ({
    status: "ready",
    stage: null,
    progress: 1,
    chunk_count: placement.count,
    language: placement.language,
    indexed_version: placement.version,
    placement,
  }) as const;
