import type { Language } from "../lib/language/languages.ts";
import type { Audience } from "./knowledge-access.ts";

/** Location of the passages of one version of a document in the index. */
export interface Placement {
  readonly audience: Audience;
  /** Number of the first passage; the numbers of the others follow. */
  readonly first: number;
  readonly count: number;
  /** Number of terms in all passages. */
  readonly length: number;
  /** Language whose stemmer is used. */
  readonly language: Language;
  readonly version: number;
  /** Title of the version, which is indexed with every passage. */
  readonly title: string;
  /** Number of passages that are in the index, from the first, while passages are added or removed. */
  readonly indexed: number;
  /** True if an earlier release split the text into other passages than this one would. */
  readonly has_own_split?: boolean;
}
