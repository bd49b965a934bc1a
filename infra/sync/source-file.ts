/** File of a source. Its content is read when it is needed, so that a source of any size fits into memory. */
export interface SourceFile {
  /** Path in the source, with `/`. */
  readonly path: string;
  /** Address at which readers find the original. */
  readonly uri?: string | undefined;
  readonly mediaType?: string | undefined;
  /** ISO 8601. */
  readonly modifiedAt?: string | undefined;
  /** Readers that the source names; undefined if it names none. */
  readonly readers?: readonly string[] | null | undefined;
  /** Yields the content in parts. Rejects if it cannot be read. */
  read(): AsyncIterable<Uint8Array>;
}

export type FileSource = () => AsyncIterable<SourceFile>;

/** Error in the arguments of the program or in the names of readers. */
export class InvalidUsage extends Error {
  override name = "InvalidUsage";
}
