import { isDeepStrictEqual } from "node:util";
import type { AuditEvent } from "../../api/governance/audit.ts";
import type { UnchainedEvent } from "./audit-chain.ts";

type Item = Readonly<Record<string, unknown>>;

/** A change of one item, as far as the audit trail is concerned. */
export interface AuditedChange {
  readonly id: string;
  /** `<discriminator>-created`, `-updated`, `-deleted`. */
  readonly type: string;
  /** ISO 8601. */
  readonly at: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** What is noted of changes to one kind of items. */
interface Audited {
  /** The kind's name in actions. */
  readonly kind: string;
  /** What the event is about, where that is not the item itself: the type, and where the item has its id. */
  readonly about?: readonly [type: string, field: string];
  /** Where the item has its id. */
  readonly id: string;
  /** Fields that are noted with their values. */
  readonly shown?: readonly string[];
  /** Fields with texts of people: that they were changed is noted, what they say is not. */
  readonly named?: readonly string[];
  /** Which changes are noted; all of them by default. */
  readonly only?: readonly ("created" | "updated" | "deleted")[];
  /** A better word than `updated`, or than `created`, for what has happened. */
  word?(before: Item | undefined, after: Item): string | undefined;
}

const revocation = (before: Item | undefined, after: Item) =>
  after.is_revoked && !before?.is_revoked ? "revoked" : undefined;

/** All that the trail is about, by the discriminators of items. */
const audited: Readonly<Record<string, Audited>> = {
  tenant: { kind: "tenant", id: "tenant_id", shown: ["limits"] },
  user: { kind: "user", id: "user_id" },
  policy: {
    kind: "policy",
    id: "sk",
    shown: ["banner", "classification", "retention", "export", "approvals", "memory", "version"],
  },
  role: { kind: "role", id: "name", shown: ["permissions"], named: ["description"] },
  group: { kind: "group", id: "id", shown: ["name", "roles", "member_ids"] },
  "api-key": {
    kind: "api_key",
    id: "id",
    shown: ["key_prefix", "scopes", "expires_at", "is_revoked"],
    named: ["description"],
    word: revocation,
  },
  "embed-key": {
    kind: "embed_key",
    id: "id",
    shown: ["key_prefix", "persona_id", "allowed_origins", "require_signed_visitor", "is_revoked"],
    named: ["name", "theme"],
    word: revocation,
  },
  webhook: { kind: "webhook", id: "channel_id", shown: ["conversation_id"] },
  conversation: {
    kind: "conversation",
    id: "id",
    shown: ["owner_id", "tier", "folder_id", "persona_id", "pinned", "retention_days"],
    named: ["title"],
  },
  // That a message was written, the message itself says.
  message: {
    kind: "message",
    about: ["conversation", "conversation_id"],
    id: "message_id",
    named: ["content"],
    only: ["updated", "deleted"],
    word: (before, after) => (before?.edited_at !== after.edited_at ? "edited" : undefined),
  },
  grant: {
    kind: "grant",
    about: ["conversation", "conversation_id"],
    id: "user_id",
    shown: ["permission", "granted_by"],
  },
  "share-link": {
    kind: "share_link",
    about: ["conversation", "conversation_id"],
    id: "link_id",
    shown: ["expires_in", "revoked_at"],
    word: (before, after) => (after.revoked_at && !before?.revoked_at ? "revoked" : undefined),
  },
  folder: { kind: "folder", id: "id", shown: ["parent_id"], named: ["name"] },
  persona: {
    kind: "persona",
    id: "id",
    shown: ["visibility", "tier", "collection_ids", "tools", "endpoint"],
    named: ["name", "description", "instructions", "greeting", "starter_prompts"],
    word: (before, after) =>
      isDeepStrictEqual(before?.endpoint ?? null, after.endpoint)
        ? undefined
        : after.endpoint
          ? "published"
          : "unpublished",
  },
  template: {
    kind: "template",
    id: "id",
    shown: ["visibility"],
    named: ["name", "description", "body", "variables", "category"],
  },
  collection: { kind: "collection", id: "id", shown: ["visibility"], named: ["name", "description"] },
  document: { kind: "document", about: ["collection", "collection_id"], id: "id", only: ["created", "deleted"] },
  memory: { kind: "memory", id: "id", shown: ["scope", "category", "status"], named: ["text"] },
  note: { kind: "note", id: "id", named: ["title", "body", "tags", "pinned", "conversation_id"] },
  feedback: {
    kind: "feedback",
    about: ["conversation", "conversation_id"],
    id: "id",
    shown: ["rating"],
    named: ["comment", "category"],
  },
  approval: {
    kind: "approval",
    id: "id",
    shown: ["type", "risk_level", "status", "decision", "decided_by"],
    named: ["action", "result", "secret_given"],
    word: (before, after) => {
      if (!before) return "requested";
      if (before.status !== after.status) return String(after.status);
      if (!isDeepStrictEqual(before.result, after.result)) return "carried_out";
      return before.secret_given !== after.secret_given ? "secret_given" : undefined;
    },
  },
  export: {
    kind: "export",
    id: "id",
    shown: ["kind", "conversation_id", "format", "status", "downloads"],
    word: (before, after) => {
      if (!before) return after.status === "delivered" ? "delivered" : "requested";
      if (before.status !== after.status) return String(after.status);
      return before.downloads !== after.downloads ? "downloaded" : undefined;
    },
  },
  deletion: {
    kind: "data_deletion",
    id: "id",
    shown: ["user_id", "status"],
    word: (before, after) => (before ? String(after.status) : "requested"),
  },
};

/** The types of changes that may have to be noted. */
export const auditedTypes: readonly string[] = Object.entries(audited).flatMap(
  ([discriminator, { only = ["created", "updated", "deleted"] }]) => only.map((verb) => `${discriminator}-${verb}`),
);

/** `user#<id>` and the like as the trail names it; whatever was written by nobody in particular the system has done. */
function actorOf(signature: unknown): AuditEvent["actor"] {
  const [kind = "system", ...id] = String(signature ?? "system").split("#");
  return kind === "system" ? { type: "system", id: null } : { type: kind.replaceAll("-", "_"), id: id.join("#") };
}

const picked = (item: Item, fields: readonly string[]) =>
  Object.fromEntries(fields.filter((field) => item[field] !== undefined).map((field) => [field, item[field]]));

/** Whether an item was removed because its time was over. */
const isOver = ({ ttl }: Item, at: string) => typeof ttl === "number" && ttl * 1_000 <= Date.parse(at);

/** An event of an item that is no more; null where it only follows from the end of something else. */
function endOf(before: Item, at: string): (Pick<UnchainedEvent, "actor" | "details"> & { word: string }) | null {
  // The removal of what was marked deleted before: that was the event.
  if (before.deleted) return null;
  if (before.deleted_by) return { actor: actorOf(before.deleted_by), word: "deleted", details: {} };
  return isOver(before, at) ? { actor: actorOf("system"), word: "expired", details: {} } : null;
}

/** What the audit trail notes of a change; null for what it does not. */
export function auditEventOf({ id, type, at, before, after }: AuditedChange): UnchainedEvent | null {
  const [, discriminator = "", verb = ""] = /^(.+)-(\w+)$/.exec(type) ?? [];
  const rule = audited[discriminator];
  const item = after ?? before;
  if (!rule || !item || !auditedTypes.includes(type)) return null;
  const happened = after ? happeningOf(rule, verb, before, after) : endOf(item, at);
  if (!happened) return null;
  const { word, actor, details } = happened;
  const [targetType, targetField] = rule.about ?? [rule.kind, rule.id];
  return {
    id,
    occurred_at: at,
    actor,
    action: `${rule.kind}.${word}`,
    target: { type: targetType, id: String(item[targetField]) },
    details: rule.about ? { [`${rule.kind}_id`]: item[rule.id], ...details } : details,
  };
}

function happeningOf({ shown = [], named = [], word }: Audited, verb: string, before: Item | undefined, after: Item) {
  const actor = actorOf(after.changed_by);
  // What is marked deleted may be touched again until all of it is gone.
  if (verb === "deleted") return before?.deleted ? null : { actor, word: "deleted", details: {} };
  if (!before) return { actor, word: word?.(before, after) ?? "created", details: picked(after, shown) };
  const changed = [...shown, ...named].filter((field) => !isDeepStrictEqual(before[field], after[field]));
  if (changed.length === 0) return null;
  const values = shown.filter((field) => changed.includes(field));
  return {
    actor,
    word: word?.(before, after) ?? "updated",
    details: { changed, before: picked(before, values), after: picked(after, values) },
  };
}
