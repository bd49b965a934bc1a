import * as v from "valibot";
import { describe } from "../fields.ts";
import { isUserId, SERVICE_PREFIX } from "../user-ids.ts";
import { ALL_READERS, GROUP_READER, PERSON_READER } from "./reader-names.ts";

/** Maximum number of readers of a collection or document. */
export const MAX_READERS = 20;

const isPerson = (id: string) => isUserId(id) && !id.startsWith(SERVICE_PREFIX);

const isReader = (reader: string) =>
  reader === ALL_READERS ||
  (reader.startsWith(GROUP_READER) && /^[A-Za-z0-9-]{1,64}$/.test(reader.slice(GROUP_READER.length))) ||
  (reader.startsWith(PERSON_READER) && isPerson(reader.slice(PERSON_READER.length)));

const ReaderNames = v.pipe(
  v.array(v.pipe(v.string(), v.check(isReader, "must be tenant, group:<id> or user:<id>"))),
  v.maxLength(MAX_READERS, `must name at most ${MAX_READERS} groups and people`),
  // The whole tenant includes all others.
  v.transform((readers) => (readers.includes(ALL_READERS) ? [ALL_READERS] : [...new Set(readers)].sort())),
);

/** Readers of a collection in a request. */
export const ReadersInput = describe(
  ReaderNames,
  `The users who can read the collection in addition to its owner: \`["tenant"]\` for all users of the tenant, or up to ${MAX_READERS} groups and people as \`group:<id>\` and \`user:<id>\`. An empty list is for the owner only.`,
);

/** Narrower readers of a document in a request; null for those of its collection. */
export const DocumentReadersInput = describe(
  v.nullable(ReaderNames),
  "The users who can read the document, of those who can read its collection. `null` for all of these. The owner of the collection can read it, too, and so can its author while the collection is readable for them.",
);

/** Readers as replies contain them. */
export const Readers = describe(
  v.array(v.string()),
  "The readers in addition to the owner: `tenant`, or groups and people as `group:<id>` and `user:<id>`. Those that were deleted read nothing.",
);
export const DocumentReaders = describe(
  v.nullable(v.array(v.string())),
  "The narrower readers of the document. `null` if all readers of the collection can read it.",
);
