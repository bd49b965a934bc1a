import { getWriteKey, type Write } from "./table.ts";

/** Who is behind a scope, where that is known: principals are scopes, and a job says on whose behalf it works. */
interface SignedScope {
  readonly kind?: string;
  readonly userId?: string;
  readonly keyId?: string;
  readonly actor?: string;
}

/** Whoever nobody else is: jobs, the change feed. */
export const SYSTEM_ACTOR = "system";

/** Who acts with a scope: `user#<id>`, `api-key#<id>`, ..., or `system` where nobody in particular does. */
export function getActor(scope: object): string {
  const { kind, userId, keyId, actor } = scope as SignedScope;
  return actor ?? (kind === undefined ? SYSTEM_ACTOR : `${kind}#${keyId ?? userId}`);
}

/** The name by which a person acts. */
export const toUserActor = (userId: string) => `user#${userId}`;

/** Partitions with nothing in them of which anybody asks who changed it, and that change often. */
const unsigned =
  /^[^#]*#(rate|usage|counted|run|idempotency|completion|folder|collection-name|document|postings|passages|index|export|webhook|audit)(#|$)/;

/** Claims on names, and entries of groups with their members: they go with what is signed itself. */
const unsignedNames = /^(name|group)#/;

function isSigned(write: Write): boolean {
  const { pk, sk } = getWriteKey(write);
  if (pk.startsWith("~") || unsigned.test(pk)) return false;
  // A message names its author already.
  if ("put" in write) return !sk.startsWith("message#");
  return !("delete" in write && unsignedNames.test(sk) && !pk.endsWith("#groups"));
}

/** The write with the name of who makes it, for the audit trail. */
export function attributeWrite(write: Write, actor: string): Write {
  if (!isSigned(write)) return write;
  if ("put" in write) return { ...write, put: { ...write.put, changed_by: actor } };
  if ("update" in write) return { ...write, set: { ...write.set, changed_by: actor } };
  return write;
}

/**
 * The writes that sign what somebody is about to delete: of a deleted item only what it last said is left. They come
 * before the deletion and apart from it, for nothing can be written twice in one transaction; one that is signed and then
 * not deleted has merely been about to be.
 */
export function attributeDeletions(writes: readonly Write[], actor: string): Write[] {
  if (actor === SYSTEM_ACTOR) return [];
  return writes
    .filter((write) => "delete" in write && isSigned(write))
    .map((write) => ({
      update: getWriteKey(write),
      set: { deleted_by: actor },
      condition: { where: "attribute_exists(#pk)" },
    }));
}
