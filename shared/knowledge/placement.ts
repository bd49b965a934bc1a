import type { Language } from "../lib/language/languages.ts";
import type { Audience } from "./knowledge-access.ts";

/** Location of the passages of one document version in the index. */
export interface Placement {
  readonly audience: Audience;
  /** Number of the first passage. The others have consecutive numbers. */
  readonly first: number;
  readonly count: number;
  /** Number of terms in all passages. */
  readonly length: number;
  /** Language with whose stemmer the passages are indexed. */
  readonly language: Language;
  readonly version: number;
  /** Title of the version. It is indexed with every passage. */
  readonly title: string;
  /** When the version was added. */
  readonly added_at: string;
  /** Number of passages that are in the index so far, from the first one. */
  readonly indexed: number;
}
