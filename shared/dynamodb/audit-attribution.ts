import { findTraceContext } from "../lib/tracing/trace-context.ts";
import type { WriteKind } from "./define-item.ts";
import { findItemType, type ItemTypeName, itemTypes } from "./item-types.ts";
import { userOwner } from "./key-owner.ts";
import { exists, getWriteKey, type Write } from "./table.ts";

/** Fields of a scope that identify its actor. Principals are scopes, and jobs set `actor`. */
interface ActorScope {
  readonly kind?: string;
  readonly userId?: string;
  readonly keyId?: string;
  readonly actor?: string;
  readonly apiKey?: { readonly id: string };
}

/** Actor of writes by background work that no user caused. */
export const SYSTEM_ACTOR = "system";

/**
 * Returns the actor of a scope: `user#<id>`, `api-key#<id>`, … or `system`; for a user on whose behalf a key is used,
 * `user#<id> api-key#<id>`.
 */
export function getActor(scope: object): string {
  const { kind, userId, keyId, actor, apiKey } = scope as ActorScope;
  const caller = actor ?? (kind === undefined ? SYSTEM_ACTOR : `${kind}#${keyId ?? userId}`);
  return apiKey && actor === undefined ? `${caller} api-key#${apiKey.id}` : caller;
}

/** Returns the actor of a user: `user#<id>`. */
export const toUserActor = (userId: string): string => userOwner(userId);

/**
 * Types whose items do not store the trace context of their last change: every turn writes them, and the extra bytes would
 * cost write units.
 */
const untracedTypes: ReadonlySet<ItemTypeName | undefined> = new Set(["conversation", "message", "user"]);

function isAttributed(write: Write): boolean {
  const key = getWriteKey(write);
  const type = findItemType(key);
  if (type === undefined) return !key.pk.startsWith("~");
  const kind: WriteKind = "put" in write ? "put" : "update" in write ? "update" : "delete";
  return itemTypes[type].recordsActor.includes(kind);
}

/**
 * Adds the actor to a write, for the audit trail, and the trace context, for the log lines of the stream processors that
 * handle the change.
 */
export function attributeWrite(write: Write, actor: string): Write {
  if (!isAttributed(write)) return write;
  const isTraced = !untracedTypes.has(findItemType(getWriteKey(write)));
  const attribution = { changed_by: actor, ...(isTraced && findTraceContext()) };
  if ("put" in write) return { ...write, put: { ...attribution, ...write.put, changed_by: actor } };
  if ("update" in write) return { ...write, set: { ...write.set, ...attribution } };
  return write;
}

/**
 * Returns the writes that record the actor of deletions. A stream record of a deletion contains only the last state of the
 * item, so the actor must be written first. These writes cannot be in the transaction of the deletion, because DynamoDB
 * allows one write per item. A stale `deleted_by` on an item that was never deleted is harmless.
 */
export function attributeDeletions(writes: readonly Write[], actor: string): Write[] {
  if (actor === SYSTEM_ACTOR) return [];
  return writes
    .filter((write) => "delete" in write && isAttributed(write))
    .map((write) => ({
      update: getWriteKey(write),
      set: { deleted_by: actor },
      condition: exists(),
    }));
}
