import type { Segment } from "./segments/segments.ts";

/** Text of a file, divided into segments by its structure. */
export interface ExtractedFile {
  readonly segments: readonly Segment[];
  /** Title in the file's metadata or content; absent if there is none. */
  readonly title?: string;
  /** Number of pages or slides; null in formats without pages. */
  readonly pageCount: number | null;
}
