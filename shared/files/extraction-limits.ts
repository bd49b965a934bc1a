// The limits of time and memory are in `extract-in-process.ts`.

/** Maximum number of pages, slides, sheets or chapters of a file. */
export const MAX_PAGES = 2_000;

/** Maximum length of the extracted text, in UTF-16 code units. */
export const MAX_EXTRACTED_TEXT_LENGTH = 3_000_000;

/** Maximum uncompressed size of one archive entry, in bytes. */
export const MAX_ENTRY_BYTES = 64 * 1_048_576;

/** Maximum total uncompressed size of the entries that are read from an archive, in bytes. */
export const MAX_ARCHIVE_BYTES = 192 * 1_048_576;

export const MAX_ARCHIVE_ENTRIES = 20_000;
