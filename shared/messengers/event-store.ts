import * as v from "valibot";
import { Messenger, type MessengerEventRef } from "../api/messengers/event-ref.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { keys } from "../dynamodb/keys.ts";
import { absent, allOf, anyOf, equals, exists, isPerformed, lessThan, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp } from "../lib/clock.ts";

/**
 * Time for which events are stored, to recognize repeated deliveries. Messengers repeat a delivery for hours at most.
 */
const RETENTION_SECONDS = 7 * 24 * 3_600;

/** Time for which one function owns the posting of an answer or alert. */
const CLAIM_MS = 90_000;

/** File id in Slack, or name and download URL of a file in Teams. */
const MessengerFile = v.union([v.string(), v.object({ name: v.string(), url: v.string() })]);
export type MessengerFile = v.InferOutput<typeof MessengerFile>;

const shared = {
  messenger: Messenger,
  workspace_id: v.string(),
  event_id: v.string(),
  /**
   * `received`: not processed yet. `started`: the run is stored. `posting`: a function posts the end of the answer.
   * `done`: nothing is left to do.
   */
  state: v.picklist(["received", "started", "posting", "done"]),
  channel: v.string(),
  /** Id of the thread. In Slack, the timestamp of its first message. */
  thread_id: v.string(),
  /** Account in the messenger that caused the event. */
  account_id: v.string(),
  account_name: v.nullable(v.string()),
  is_direct: v.boolean(),
  base_url: v.string(),
  /** Base URL for responses, and id of the account, in Teams. */
  service_url: v.optional(v.string()),
  sender_id: v.optional(v.string()),
};

const StoredEvent = v.variant("kind", [
  v.object({
    ...shared,
    kind: v.literal("message"),
    text: v.string(),
    files: v.optional(v.array(MessengerFile)),
    /** True if the message begins a new conversation in the thread. */
    starts_new: v.optional(v.boolean()),
    /** Sentences about files that could not be attached, to append to the answer. */
    file_notes: v.optional(v.array(v.string())),
    conversation_id: v.optional(v.string()),
    message_id: v.optional(v.string()),
    /** Message in the messenger that contains the answer so far, and whether it is a stream. */
    reply: v.optional(v.object({ id: v.string(), is_stream: v.boolean() })),
    claimed_until: v.optional(v.number()),
  }),
  /** Text of the service for the account that caused an event. */
  v.object({ ...shared, kind: v.literal("notice"), text: v.string() }),
  v.object({
    ...shared,
    kind: v.literal("action"),
    approval_id: v.string(),
    decision: v.picklist(["approve", "deny"]),
    /** Id of the message with the buttons. */
    card_id: v.string(),
  }),
  v.object({
    ...shared,
    /** Alert, or result of its investigation, to post to a channel. */
    kind: v.literal("alert"),
    conversation_id: v.string(),
    /** Id of the message of the alert, not the provider's id of the alert, which is `alert_id` of a delivery. */
    alert_id: v.string(),
    investigation_id: v.optional(v.string()),
    /** Id of the posted message. For later alerts and results, id of the incident's first message. */
    posted_id: v.optional(v.string()),
    claimed_until: v.optional(v.number()),
  }),
]);
export type StoredEvent = v.InferOutput<typeof StoredEvent>;
export type MessengerMessage = Extract<StoredEvent, { readonly kind: "message" }>;
export type MessengerAlert = Extract<StoredEvent, { readonly kind: "alert" }>;
export type MessengerAction = Extract<StoredEvent, { readonly kind: "action" }>;

const readEvent = itemReader(StoredEvent);

const keyOf = ({ tenantId }: TenantScope, { workspace_id, event_id }: MessengerEventRef) =>
  keys.messengerEvent(tenantId, workspace_id, event_id);

/**
 * Stores an event. The rule `start-messenger-work` then schedules its processing, so that a crash after this write loses
 * no event.
 * @returns false if the event is already stored
 */
export async function recordEvent(scope: TenantScope, event: StoredEvent): Promise<boolean> {
  return isPerformed(
    tenantTable(scope).write({
      put: {
        ...keyOf(scope, event),
        // Events and posts of all messengers have this type; the first messenger gave it its name.
        discriminator: "messenger-event",
        timestamp: now(),
        ttl: expiresAfter(RETENTION_SECONDS),
        received_at: timestamp(),
        ...event,
      },
      condition: absent(),
    }),
  );
}

export async function findEvent(scope: TenantScope, ref: MessengerEventRef): Promise<StoredEvent | undefined> {
  const item = await tenantTable(scope).get(keyOf(scope, ref), { consistent: true });
  return item && readEvent(item);
}

/**
 * Returns the write that links a message with its run, for the transaction that stores the question. Fails if another
 * function has started the run.
 */
export const startWrite = (
  scope: TenantScope,
  message: MessengerMessage,
  started: Pick<MessengerMessage, "conversation_id" | "message_id" | "file_notes">,
): Write => ({
  update: keyOf(scope, message),
  set: { state: "started", ...started },
  condition: equals({ state: "received" }),
});

/**
 * Changes an event.
 * @returns false if the condition fails or the event has expired
 */
async function changeEvent(scope: TenantScope, write: Write): Promise<boolean> {
  return isPerformed(tenantTable(scope).write(write));
}

/** Stores the id of the message that contains the answer, or deletes it so that later text starts another message. */
export const recordReply = (scope: TenantScope, ref: MessengerEventRef, reply: MessengerMessage["reply"] | null) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    ...(reply ? { set: { reply } } : { remove: ["reply"] }),
    condition: exists(),
  });

/**
 * Takes the lease for posting the end of an answer.
 * @returns false if another function owns it, the run has not started, the answer is complete, or the event has expired
 */
export const claimEnd = (scope: TenantScope, ref: MessengerEventRef) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    set: { state: "posting", claimed_until: now() + CLAIM_MS },
    condition: anyOf([
      equals({ state: "started" }),
      allOf([equals({ state: "posting" }), lessThan({ claimed_until: now() })]),
    ]),
  });

/**
 * Takes the lease for posting an alert.
 * @returns false if another function owns it or the alert is posted
 */
export const claimPost = (scope: TenantScope, ref: MessengerEventRef) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    set: { state: "posting", claimed_until: now() + CLAIM_MS },
    condition: anyOf([
      equals({ state: "received" }),
      allOf([equals({ state: "posting" }), lessThan({ claimed_until: now() })]),
    ]),
  });

/**
 * Returns the write that marks an alert as posted. The item is kept for a year, like threads, so that later alerts find
 * the thread.
 */
export const postedWrite = (scope: TenantScope, ref: MessengerEventRef, posted_id: string): Write => ({
  update: keyOf(scope, ref),
  set: { state: "done", posted_id, ttl: expiresAfter(365 * 24 * 3_600) },
  condition: exists(),
});

/**
 * Marks an event as done, so that nothing more is posted for it.
 * @returns false if the event has expired
 */
export const completeEvent = (scope: TenantScope, ref: MessengerEventRef) =>
  changeEvent(scope, {
    update: keyOf(scope, ref),
    set: { state: "done" },
    condition: exists(),
  });
