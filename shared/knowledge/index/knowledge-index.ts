import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import type { Audience, KnowledgeReader } from "../knowledge-access.ts";
import type { Language } from "./languages.ts";

/** A passage as an index takes it in. */
export interface IndexedPassage {
  /** Its number within its audience. */
  readonly passage: number;
  readonly collectionId: string;
  /** Of its document. */
  readonly language: Language;
  /** Title of its document. */
  readonly title: string;
  readonly headings: string;
  readonly text: string;
}

/** What is looked for. */
export interface IndexQuery {
  readonly text: string;
  /** Only passages of these collections, where it is given. */
  readonly collectionIds?: readonly string[];
  /** How many passages are wanted, at most. */
  readonly depth: number;
}

/** A passage that an index found. */
export interface RankedPassage {
  /** Names the passage within its tenant. */
  readonly key: string;
  readonly audience: Audience;
  readonly passage: number;
  readonly score: number;
}

/**
 * One way to find passages. What an audience may read is indexed apart from everything else, so that nothing is ever
 * ranked, nor counted, that the reader may not read. Several indexes go side by side: their rankings are fused.
 */
export interface KnowledgeIndex {
  /** Passages that fit, best first; may let through a few of other collections than asked for. */
  rank(reader: KnowledgeReader, query: IndexQuery): Promise<RankedPassage[]>;
  /** Takes passages in; taking them in again changes nothing. */
  add(scope: TenantScope, audience: Audience, passages: readonly IndexedPassage[]): Promise<void>;
  /** Forgets passages, given as they were taken in; forgetting them again changes nothing. */
  remove(scope: TenantScope, audience: Audience, passages: readonly IndexedPassage[]): Promise<void>;
}
