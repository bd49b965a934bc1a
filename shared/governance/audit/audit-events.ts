import { isDeepStrictEqual } from "node:util";
import type { AuditEvent } from "../../api/governance/audit.ts";
import { serviceIdOf } from "../../auth/principal.ts";
import { SYSTEM_ACTOR } from "../../dynamodb/audit-attribution.ts";
import type { AuditRule, ItemImage } from "../../dynamodb/audit-rule.ts";
import type { UnchainedEvent } from "./audit-chain.ts";
import { auditedChangeTypes, auditRules } from "./audit-rules.ts";

interface AuditedChange {
  readonly id: string;
  /** `<item type>-created`, `-updated` or `-deleted`. */
  readonly type: string;
  /** ISO 8601. */
  readonly at: string;
  readonly before: ItemImage | undefined;
  readonly after: ItemImage | undefined;
}

/** Fields of an event that are derived from the kind of change. */
type ChangeDescription = Pick<UnchainedEvent, "actor" | "details"> & { readonly verb: string };

function parseSubject(subject: string): { type: string; id: string } {
  const [kind = "", ...id] = subject.split("#");
  return { type: kind.replaceAll("-", "_"), id: id.join("#") };
}

/**
 * Parses an actor such as `user#<id>`, optionally followed by an API key: `user#<id> api-key#<id>`. A write without an
 * actor was made by the system.
 */
function parseActor(actor: unknown): AuditEvent["actor"] {
  const text = String(actor ?? SYSTEM_ACTOR);
  if (text === SYSTEM_ACTOR) return { type: SYSTEM_ACTOR, id: null };
  const separator = text.indexOf(" ");
  if (separator < 0) return parseSubject(text);
  const [caller, key] = [parseSubject(text.slice(0, separator)), parseSubject(text.slice(separator + 1))];
  return caller.id === serviceIdOf(key.id) ? key : { ...caller, via: key };
}

const pickAttributes = (item: ItemImage, attributes: readonly string[]) =>
  Object.fromEntries(attributes.filter((name) => item[name] !== undefined).map((name) => [name, item[name]]));

const isExpired = ({ ttl }: ItemImage, at: string) => typeof ttl === "number" && ttl * 1_000 <= Date.parse(at);

/**
 * Describes the removal of an item; null if the removal only follows from the deletion of another resource or was
 * recorded before.
 */
function describeRemoval(before: ItemImage, at: string): ChangeDescription | null {
  // The event was recorded when the item was marked as deleted.
  if (before.deleted) return null;
  if (before.deleted_by) return { actor: parseActor(before.deleted_by), verb: "deleted", details: {} };
  return isExpired(before, at) ? { actor: parseActor(SYSTEM_ACTOR), verb: "expired", details: {} } : null;
}

/**
 * Describes the creation, update or soft deletion of an item. Null for an update that is activity or changes no
 * recorded attribute.
 */
function describeWrite(
  rule: AuditRule,
  changeKind: string,
  before: ItemImage | undefined,
  after: ItemImage,
): ChangeDescription | null {
  const { values = [], redacted = [] } = rule;
  const actor = parseActor(after.changed_by);
  // An item that is marked as deleted can be updated again until it is purged.
  if (changeKind === "deleted") return before?.deleted ? null : { actor, verb: "deleted", details: {} };
  if (!before) {
    return { actor, verb: rule.verb?.(before, after) ?? "created", details: pickAttributes(after, values) };
  }
  if (rule.isActivity?.(before, after)) return null;
  const changed = [...values, ...redacted].filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return null;
  const changedValues = values.filter((name) => changed.includes(name));
  return {
    actor,
    verb: rule.verb?.(before, after) ?? "updated",
    details: { changed, before: pickAttributes(before, changedValues), after: pickAttributes(after, changedValues) },
  };
}

/** Converts a change of an item to its audit event; null if the audit rules leave it out. */
export function toAuditEvent({ id, type, at, before, after }: AuditedChange): UnchainedEvent | null {
  const [, itemType = "", changeKind = ""] = /^(.+)-(\w+)$/.exec(type) ?? [];
  const rule = auditRules.get(itemType);
  const item = after ?? before;
  if (!rule || !item || !auditedChangeTypes.includes(type)) return null;
  const description = after ? describeWrite(rule, changeKind, before, after) : describeRemoval(item, at);
  if (!description) return null;
  const { verb, actor, details } = description;
  const [targetType, targetId] = rule.target ?? [rule.kind, rule.id];
  return {
    id,
    occurred_at: at,
    actor,
    action: `${rule.kind}.${verb}`,
    target: { type: targetType, id: String(item[targetId]) },
    details: {
      ...(rule.target && { [`${rule.kind}_id`]: item[rule.id] }),
      ...(rule.parent && { [rule.parent]: item[rule.parent] }),
      ...details,
    },
  };
}
