import * as v from "valibot";
import { describe, lineOf, textOfAtMost } from "../fields.ts";
import { MAX_BODY_BYTES, MEBIBYTE } from "../limits.ts";
import { documentTypes } from "./document-types.ts";
import { DocumentReadersInput } from "./readers.ts";

export const DocumentTitle = lineOf(300);

/** Media type of a document that is added as text. */
export const TextMediaType = v.picklist(
  ["text/plain", "text/markdown", "text/html"],
  "must be text/plain, text/markdown or text/html",
);

export const documentMediaTypes = Object.values(documentTypes).map(({ mediaType }) => mediaType);

/** Control characters other than white space, which indicate binary data. */
const controlCharacter = /[[\p{Cc}&&\p{ASCII}]--\s]/v;

export const Text = describe(
  v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", "must not be empty"),
    v.check((text) => !controlCharacter.test(text), "must be plain text without control characters"),
  ),
  `The text of the document. The whole request is limited to ${MAX_BODY_BYTES / MEBIBYTE} MiB.`,
);

/** Custom metadata of a document. Searches can filter by it. */
export const Metadata = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -")),
    textOfAtMost(256),
  ),
  v.check((metadata) => Object.keys(metadata).length <= 32, "must have at most 32 entries"),
);

/** Address at which the original of a document is found. */
export const Uri = v.nullish(textOfAtMost(2_000), null);

/** Maximum number of files in one request. */
export const MAX_FILES = 10;

export const FileName = lineOf(255);

/** Fields of a form, which apply to all of its files. */
export const FormFields = v.strictObject({
  title: v.optional(DocumentTitle),
  uri: v.optional(textOfAtMost(2_000)),
  metadata: v.optional(v.pipe(v.string(), v.parseJson(undefined, "must be a JSON object with text values"), Metadata)),
  readers: v.optional(
    v.pipe(
      v.string(),
      v.parseJson(undefined, 'must be a JSON list such as ["group:<id>"], or null'),
      DocumentReadersInput,
    ),
  ),
});
