import type * as v from "valibot";
import type { Message } from "../api/conversations/messages.ts";
import { Delivery } from "../api/webhooks/deliveries.ts";
import { type StoredConversation, touchConversationWrite } from "../conversations/conversation-store.ts";
import { newMessageWrite } from "../conversations/message-store.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absentOrExpired, exists, type Item, ignoreConditionFailed, type Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import type { Alert } from "./adapters/types.ts";
import { alertTitleOf } from "./alert-facts.ts";
import { DELIVERY_RETENTION_SECONDS } from "./refusal-log.ts";

const parseDelivery = itemReader(Delivery);

/** Reads a delivery. Equal refused deliveries share one entry; all but the first count as duplicates. */
function readDelivery(item: Item): Delivery {
  const { refusals, duplicates } = item;
  return parseDelivery({ ...item, duplicates: typeof refusals === "number" ? refusals - 1 : duplicates });
}

/**
 * Returns the delivery that recorded an event, or undefined.
 * @param fingerprint hash that identifies the event
 */
export async function findDelivery(
  scope: TenantScope,
  channelId: string,
  fingerprint: string,
): Promise<Delivery | undefined> {
  const key = keys.delivery(scope.tenantId, channelId, fingerprint);
  const item = await tenantTable(scope).get(key, { consistent: true });
  return item && readDelivery(item);
}

/** Counts a repeated delivery. Does nothing if the record of the first one has expired. */
export async function countDuplicate(scope: TenantScope, channelId: string, fingerprint: string): Promise<void> {
  await tenantTable(scope)
    .write({
      update: keys.delivery(scope.tenantId, channelId, fingerprint),
      add: { duplicates: 1 },
      condition: exists(),
    })
    .catch(ignoreConditionFailed);
}

/** Maximum length of a stored body. */
const MAX_BODY_LENGTH = 16_384;

/** Thrown if another request has concurrently recorded the same event, or the first event of the same incident. */
export class ConcurrentDeliveryError extends Error {
  override name = "ConcurrentDeliveryError";
}

/**
 * Returns the id of the message of an incident's first event, to whose thread later events are added; null if there is
 * none.
 */
export async function findIncidentMessageId(
  scope: TenantScope,
  channelId: string,
  incident: string,
): Promise<string | null> {
  const item = await tenantTable(scope).get(keys.incident(scope.tenantId, channelId, incident), { consistent: true });
  return item ? String(item.message_id) : null;
}

/** Alert to record as the result of a delivery. */
interface NewDelivery {
  readonly conversation: StoredConversation;
  readonly message: Message;
  readonly fingerprint: string;
  readonly delivery: Pick<Delivery, "alert_id" | "provider" | "severity" | "incident" | "ignored_fields" | "is_test"> &
    Partial<Pick<Delivery, "guessed_paths">>;
  /** Body of a delivery whose form is not known, for `previewAlert`. */
  readonly body?: string | null;
  readonly startsIncident: boolean;
  /** True if the rule `investigate-alert` records the incident, and decides whether an investigation starts. */
  readonly isRecorded?: boolean;
  /** True if the rule `post-alert-to-messengers` posts the alert to a messenger. */
  readonly isPosted?: boolean;
}

const concurrentDelivery = () => new ConcurrentDeliveryError();

function deliveryWrite({ tenantId }: TenantScope, channelId: string, newDelivery: NewDelivery): Write {
  const { message, fingerprint, delivery } = newDelivery;
  return {
    put: {
      ...keys.delivery(tenantId, channelId, fingerprint),
      ...indexKeys.deliveries(tenantId, channelId, uniqueTimestamp()),
      discriminator: "delivery",
      ttl: expiresAfter(DELIVERY_RETENTION_SECONDS),
      fingerprint,
      ...delivery,
      title: message.alert ? alertTitleOf(message.alert as unknown as Alert) : "",
      status: "accepted",
      reason: null,
      detail: null,
      message_id: message.message_id,
      received_at: timestamp(),
      duplicates: 0,
      ...(newDelivery.body && newDelivery.body.length <= MAX_BODY_LENGTH && { body: newDelivery.body }),
      ...(newDelivery.isRecorded && { is_investigated: true, channel_id: channelId }),
      ...(newDelivery.isPosted && { is_posted: true, channel_id: channelId }),
    },
    condition: absentOrExpired(concurrentDelivery),
  };
}

const incidentWrite = ({ tenantId }: TenantScope, channelId: string, incident: string, message: Message): Write => ({
  put: {
    ...keys.incident(tenantId, channelId, incident),
    discriminator: "incident",
    ttl: expiresAfter(DELIVERY_RETENTION_SECONDS),
    message_id: message.message_id,
  },
  condition: absentOrExpired(concurrentDelivery),
});

/**
 * Records an alert in one transaction: its message, the conversation's activity, and the delivery, by which repetitions
 * are recognized.
 * @throws ConcurrentDeliveryError if the event or its incident was recorded concurrently
 * @throws ServiceError `not_found` if the conversation was deleted
 */
export async function recordDelivery(scope: TenantScope, channelId: string, newDelivery: NewDelivery): Promise<void> {
  const { conversation, message, delivery, startsIncident } = newDelivery;
  const { incident } = delivery;
  await tenantTable(scope).transact([
    deliveryWrite(scope, channelId, newDelivery),
    ...(incident === null || !startsIncident ? [] : [incidentWrite(scope, channelId, incident, message)]),
    newMessageWrite(scope, message),
    touchConversationWrite(scope, conversation, 1),
  ]);
}

/** Number of the latest deliveries among which one with a stored body is searched. */
const MAX_SEARCHED_DELIVERIES = 100;

/** Returns the body of the latest delivery of a channel for which one was stored, or null. */
export async function findStoredBody(
  scope: TenantScope,
  channelId: string,
): Promise<{ readonly body: string; readonly received_at: string } | null> {
  const { gsi1pk: pk } = indexKeys.deliveries(scope.tenantId, channelId, "");
  const limit = MAX_SEARCHED_DELIVERIES;
  const items = await tenantTable(scope).query({ index: "gsi1", pk, descending: true, limit });
  const stored = items.find(({ body }) => typeof body === "string");
  return stored ? { body: String(stored.body), received_at: String(stored.received_at) } : null;
}

/**
 * Lists the deliveries of a channel, newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listDeliveries(
  scope: TenantScope,
  channelId: string,
  request: PageRequest,
): Promise<Page<v.InferOutput<typeof Delivery>>> {
  const { gsi1pk: pk } = indexKeys.deliveries(scope.tenantId, channelId, "");
  const list = { list: "deliveries", filters: { channelId }, index: "gsi1", pk, descending: true } as const;
  return mapPage(await listPage(scope, list, request), readDelivery);
}
