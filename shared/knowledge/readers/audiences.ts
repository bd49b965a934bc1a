import { ALL_READERS, GROUP_READER, PERSON_READER } from "../../api/knowledge/reader-names.ts";
import { groupOwner, userOwner } from "../../dynamodb/key-owner.ts";
import { sha256Bytes } from "../../lib/hash.ts";
import type { Audience } from "../knowledge-access.ts";

/** Fields of a collection that determine who may read it. */
export interface CollectionAccess {
  readonly owner_id: string;
  readonly readers: readonly string[];
}

/** Fields of a document or import that determine which of the readers of its collection may read it. */
export interface DocumentAccess {
  readonly author_id: string;
  readonly readers: readonly string[] | null;
}

/** Readers of which a user must be one, as `user:<id>` and `group:<id>`, sorted. */
export type ReaderClause = readonly string[];

export const personReader = (userId: string): string => PERSON_READER + userId;
export const groupReader = (groupId: string): string => GROUP_READER + groupId;

const toClause = (readers: Iterable<string>): ReaderClause => [...new Set(readers)].sort();
const includesAll = (clause: ReaderClause, other: ReaderClause) => other.every((reader) => clause.includes(reader));

/**
 * Returns the clauses that a reader must all fulfill; none if all users of the tenant may read the document. The readers of a
 * document narrow those of its collection and never widen them.
 */
export function toClauses(collection: CollectionAccess, document?: DocumentAccess): ReaderClause[] {
  const owner = personReader(collection.owner_id);
  const narrower = document?.readers ?? [ALL_READERS];
  const ofCollection = collection.readers.includes(ALL_READERS) ? null : toClause([...collection.readers, owner]);
  const ofDocument =
    document && !narrower.includes(ALL_READERS)
      ? toClause([...narrower, owner, personReader(document.author_id)])
      : null;
  if (!ofCollection || !ofDocument) return [ofCollection, ofDocument].filter((clause) => clause !== null);
  // A clause that all readers of the other one fulfill says nothing new.
  if (includesAll(ofCollection, ofDocument)) return [ofDocument];
  return includesAll(ofDocument, ofCollection) ? [ofCollection] : [ofCollection, ofDocument];
}

/** Number of hexadecimal digits that identify clauses. They are part of names of attributes, which have no other characters. */
const HASH_DIGITS = 24;

export const LISTED_PREFIX = "readers#";

/**
 * Returns the audience with these readers. Documents with equal clauses share one index, so that a search in it needs no
 * filter, and a document is in one index however many readers it has.
 */
export function toAudience(collection: CollectionAccess, document?: DocumentAccess): Audience {
  const clauses = toClauses(collection, document);
  const [first] = clauses;
  if (!first) return "tenant";
  const [reader = ""] = first;
  if (clauses.length === 1 && first.length === 1 && reader.startsWith(PERSON_READER)) {
    return userOwner(reader.slice(PERSON_READER.length));
  }
  return `${LISTED_PREFIX}${sha256Bytes(JSON.stringify(clauses)).toString("hex").slice(0, HASH_DIGITS)}`;
}

/** Returns the audience of a single reader, in whose statistics its lists of readers are recorded. */
export const toOwnAudience = (reader: string): Audience =>
  reader.startsWith(GROUP_READER)
    ? groupOwner(reader.slice(GROUP_READER.length))
    : userOwner(reader.slice(PERSON_READER.length));
