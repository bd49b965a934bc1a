import type { Segment } from "./segments/segments.ts";

/** Text and structure of a file. */
export interface ExtractedFile {
  readonly segments: readonly Segment[];
  /** Title that the file declares, if any. */
  readonly title?: string;
  /** Number of pages or slides; null in formats without pages. */
  readonly pageCount: number | null;
}
