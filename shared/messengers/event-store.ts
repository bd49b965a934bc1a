import * as v from "valibot";
import { Messenger, type MessengerEventRef } from "../api/messengers/event-ref.ts";
import { itemAccess } from "../dynamodb/access.ts";
import { keys } from "../dynamodb/keys.ts";
import { ConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../lib/clock.ts";
import { messengerItemReader } from "./item-reader.ts";

export const messengerEventAccess = itemAccess("messengerEvent", "get", "put", "update");

/** Time for which events are remembered; messengers repeat a delivery for hours at most. */
const RETENTION_SECONDS = 7 * 24 * 3_600;

/** Time for which one function alone posts an answer. */
const CLAIM_MS = 90_000;

/** Id of a file of Slack, or name and address of a file of Teams. */
const MessengerFile = v.union([v.string(), v.object({ name: v.string(), url: v.string() })]);
export type MessengerFile = v.InferOutput<typeof MessengerFile>;

const shared = {
  messenger: v.optional(Messenger, "slack"),
  workspace_id: v.string(),
  event_id: v.string(),
  /** `started` with a run, `posting` its end, `done` when nothing is left to do. */
  state: v.picklist(["received", "started", "posting", "done"]),
  channel: v.string(),
  /** Id of the thread, such as the time of its first message in Slack. */
  thread_id: v.string(),
  /** Account of the person who acted. */
  account_id: v.string(),
  account_name: v.nullable(v.string()),
  is_direct: v.boolean(),
  base_url: v.string(),
  /** Address of Teams for answers, and the id of the person there. */
  service_url: v.optional(v.string()),
  sender_id: v.optional(v.string()),
};

const StoredEvent = v.variant("kind", [
  v.object({
    ...shared,
    kind: v.literal("message"),
    text: v.string(),
    files: v.optional(v.array(MessengerFile)),
    /** True if the person starts another conversation in the thread. */
    starts_new: v.optional(v.boolean()),
    /** Reasons for which files are not attached, which the answer ends with. */
    file_notes: v.optional(v.array(v.string())),
    conversation_id: v.optional(v.string()),
    message_id: v.optional(v.string()),
    /** Message with the beginning of the answer, and how it was posted. */
    reply: v.optional(v.object({ id: v.string(), is_stream: v.boolean() })),
    claimed_until: v.optional(v.number()),
  }),
  /** Text for the person who acted. */
  v.object({ ...shared, kind: v.literal("notice"), text: v.string() }),
  v.object({
    ...shared,
    kind: v.literal("action"),
    approval_id: v.string(),
    decision: v.picklist(["approve", "deny"]),
    /** Message with the button. */
    card_id: v.string(),
  }),
  v.object({
    ...shared,
    /** Alert of a channel, or the end of its investigation, that is posted. */
    kind: v.literal("alert"),
    conversation_id: v.string(),
    alert_id: v.string(),
    investigation_id: v.optional(v.string()),
    /** Id of the message in the messenger: the alert's, or that of the incident's first alert. */
    posted_id: v.optional(v.string()),
    claimed_until: v.optional(v.number()),
  }),
]);
export type StoredEvent = v.InferOutput<typeof StoredEvent>;
export type MessengerMessage = Extract<StoredEvent, { readonly kind: "message" }>;
export type MessengerAlert = Extract<StoredEvent, { readonly kind: "alert" }>;
export type MessengerAction = Extract<StoredEvent, { readonly kind: "action" }>;

const readEvent = messengerItemReader(StoredEvent);

const keyOf = ({ tenantId }: TenantScope, { workspace_id, event_id }: MessengerEventRef) =>
  keys.messengerEvent(tenantId, workspace_id, event_id);

/** Stores an event. The change feed schedules its work, so that a crash loses none. @returns false if it is known */
export async function recordEvent(scope: TenantScope, event: StoredEvent): Promise<boolean> {
  try {
    await tenantTable(scope).write({
      put: {
        ...keyOf(scope, event),
        discriminator: "slack-event",
        timestamp: now(),
        ttl: expiresAfter(RETENTION_SECONDS),
        received_at: timestamp(),
        ...event,
      },
      condition: { where: "attribute_not_exists(#pk)" },
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

export async function findEvent(scope: TenantScope, ref: MessengerEventRef): Promise<StoredEvent | undefined> {
  const item = await tenantTable(scope).get(keyOf(scope, ref), { consistent: true });
  return item && readEvent(item);
}

/** Returns the write that records the run of a message, for the transaction that stores the question. */
export const startWrite = (
  scope: TenantScope,
  message: MessengerMessage,
  started: Pick<MessengerMessage, "conversation_id" | "message_id" | "file_notes">,
): Write => ({
  update: keyOf(scope, message),
  set: { state: "started", ...started },
  condition: { where: "#state = :received", values: { received: "received" } },
});

/** Changes an event. @returns false if it is in none of the states, or expired */
async function changeEvent(scope: TenantScope, write: Write): Promise<boolean> {
  try {
    await tenantTable(scope).write(write);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Records the message with the answer; null when later text belongs into another message. */
export const recordReply = (scope: TenantScope, ref: MessengerEventRef, reply: MessengerMessage["reply"] | null) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    ...(reply ? { set: { reply } } : { remove: ["reply"] }),
    condition: { where: "attribute_exists(#pk)" },
  });

/** Takes the right to post the end of an answer. @returns false if another function has it, or it is posted */
export const claimEnd = (scope: TenantScope, ref: MessengerEventRef) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    set: { state: "posting", claimed_until: now() + CLAIM_MS },
    condition: {
      where: "#state = :started OR (#state = :posting AND #claimed_until < :now)",
      values: { started: "started", posting: "posting", now: now() },
    },
  });

/** Takes the right to post an alert. @returns false if another function has it, or it is posted */
export const claimPost = (scope: TenantScope, ref: MessengerEventRef) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    set: { state: "posting", claimed_until: now() + CLAIM_MS },
    condition: {
      where: "#state = :received OR (#state = :posting AND #claimed_until < :now)",
      values: { received: "received", posting: "posting", now: now() },
    },
  });

/** Returns the write that records that an alert is posted; its thread is known for as long as that of a conversation. */
export const postedWrite = (scope: TenantScope, ref: MessengerEventRef, posted_id: string): Write => ({
  update: keyOf(scope, ref),
  set: { state: "done", posted_id, ttl: expiresAfter(365 * 24 * 3_600) },
  condition: { where: "attribute_exists(#pk)" },
});

/** Marks an event as done, so that nothing more is posted for it. @returns false if the event has expired */
export const completeEvent = (scope: TenantScope, ref: MessengerEventRef) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    set: { state: "done" },
    condition: { where: "attribute_exists(#pk)" },
  });
