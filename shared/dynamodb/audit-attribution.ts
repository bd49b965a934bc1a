import { findStoredTrace } from "../lib/tracing/trace-context.ts";
import type { WriteKind } from "./define-item.ts";
import { findItemType, itemTypes } from "./item-types.ts";
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

/** Returns true if writes of a kind record the actor; of any kind without an argument. */
function isAttributed(write: Write, kind?: WriteKind): boolean {
  const key = getWriteKey(write);
  const type = findItemType(key);
  if (type === undefined) return !key.pk.startsWith("~");
  const { recordsActor } = itemTypes[type];
  return kind === undefined ? recordsActor.length > 0 : recordsActor.includes(kind);
}

/** Returns the attributes to remove, so that the trace of an earlier write does not stay next to the request id of this one. */
function withoutStaleTrace(remove: readonly string[] = []): { readonly remove?: readonly string[] } {
  const trace = findStoredTrace();
  const isStale = trace !== undefined && trace.traceparent === undefined;
  return isStale || remove.length > 0 ? { remove: isStale ? [...remove, "traceparent"] : remove } : {};
}

/**
 * Adds the actor to a write, for the audit trail, and the trace context, for the log lines of the stream processors that
 * handle the change.
 */
export function attributeWrite(write: Write, actor: string): Write {
  if (!isAttributed(write)) return write;
  const trace = findStoredTrace();
  if ("put" in write) {
    const changed_by = isAttributed(write, "put") ? { changed_by: actor } : {};
    return { ...write, put: { ...trace, ...write.put, ...changed_by } };
  }
  if (!("update" in write && isAttributed(write, "update"))) return write;
  return {
    ...write,
    set: { ...write.set, changed_by: actor, ...trace },
    ...withoutStaleTrace(write.remove),
  };
}

/**
 * Returns the writes that record the actor and the trace context of deletions. A stream record of a deletion contains only the last state of the
 * item, so the actor must be written first. These writes cannot be in the transaction of the deletion, because DynamoDB
 * allows one write per item. A stale `deleted_by` on an item that was never deleted is harmless.
 */
export function attributeDeletions(writes: readonly Write[], actor: string): Write[] {
  if (actor === SYSTEM_ACTOR) return [];
  return writes
    .filter((write) => "delete" in write && isAttributed(write, "delete"))
    .map((write) => ({
      update: getWriteKey(write),
      set: { deleted_by: actor, ...findStoredTrace() },
      ...withoutStaleTrace(),
      condition: exists(),
    }));
}
