import type { Delivery } from "../api/channels/webhooks.ts";
import type { Message } from "../api/conversations/messages.ts";
import { hashCredential } from "../auth/credentials.ts";
import { activityWrite, type StoredConversation } from "../conversations/conversation-store.ts";
import { newMessageWrite } from "../conversations/message-store.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { ConditionFailed, type Item, TransactionFailed, absentOrExpired, type Write } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { expiresAfter, now, timestamp, uniqueTimestamp } from "../lib/clock.ts";
import { notFound, ServiceError } from "../lib/errors.ts";

/** A registered channel. */
export interface Channel {
  readonly channel_id: string;
  readonly tenant_id: string;
  /** Of this registration: its secret follows from it. */
  readonly registration_id: string;
  /** Null after the conversation was deleted. */
  readonly conversation_id: string | null;
  /** A provider's own secret, sealed. */
  readonly sealed_secret: string | null;
  readonly created_at: string;
}

/** How long deliveries are known again, in seconds. */
const kept = 90 * 24 * 3_600;

const channelOf = (item: Item) => item as unknown as Channel;

/** The writes that register a channel; an id that is taken, by whomever, is a `conflict`. */
export function registrationWrites(scope: TenantScope, channel: Channel & { conversation_id: string }): Write[] {
  const { channel_id, conversation_id } = channel;
  return [
    {
      put: { ...keys.webhookChannel(hashCredential(channel_id)), discriminator: "webhook-lookup", ...channel },
      condition: {
        where: "attribute_not_exists(#pk)",
        onConditionFailed: () => new ServiceError("conflict", "A channel of this id is registered already."),
      },
    },
    {
      put: {
        ...keys.webhook(scope.tenantId, channel_id),
        ...indexKeys.conversationWebhooks(scope.tenantId, conversation_id, channel_id),
        discriminator: "webhook",
        timestamp: now(),
        ...channel,
      },
    },
    {
      check: keys.conversation(scope.tenantId, conversation_id),
      condition: { where: "attribute_exists(#pk) AND attribute_not_exists(#deleted)", onConditionFailed: notFound },
    },
  ];
}

/** A channel by its id alone, of whichever tenant. */
export async function findChannel(channelId: string): Promise<Channel | undefined> {
  const item = await systemTable().get(keys.webhookChannel(hashCredential(channelId)), { consistent: true });
  return item && channelOf(item);
}

/** A channel of the tenant. @throws ServiceError `not_found` */
export async function getChannel(scope: TenantScope, channelId: string): Promise<Channel> {
  const item = await tenantTable(scope).get(keys.webhook(scope.tenantId, channelId), { consistent: true });
  if (!item) throw notFound();
  return channelOf(item);
}

/** The tenant's channels by id. @throws ServiceError `invalid_cursor` */
export async function listChannels(scope: TenantScope, request: PageRequest): Promise<Page<Channel>> {
  const { pk } = keys.webhook(scope.tenantId, "");
  const { entries, next } = await listPage(scope, { list: "webhooks", pk }, request);
  return { entries: entries.map(channelOf), next };
}

/** Removes a channel: what it is sent from now on finds nobody. @throws ServiceError `not_found` */
export async function removeChannel(scope: TenantScope, channelId: string): Promise<void> {
  await tenantTable(scope).transact([
    {
      delete: keys.webhook(scope.tenantId, channelId),
      condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
    },
    {
      delete: keys.webhookChannel(hashCredential(channelId)),
      condition: { where: "#tenant_id = :tenant_id", values: { tenant_id: scope.tenantId } },
    },
  ]);
}

/** Takes the mapping from channels whose conversation was deleted; they stay registered. */
export async function unmapChannels(scope: TenantScope, conversationId: string): Promise<void> {
  const { gsi1pk: pk } = indexKeys.conversationWebhooks(scope.tenantId, conversationId, "");
  for (const { channel_id } of await tenantTable(scope).query({ index: "gsi1", pk })) {
    const id = String(channel_id);
    const where = "#tenant_id = :tenant_id AND #conversation_id = :conversation";
    const condition = { where, values: { tenant_id: scope.tenantId, conversation: conversationId } };
    try {
      await tenantTable(scope).transact([
        { update: keys.webhookChannel(hashCredential(id)), set: { conversation_id: null }, condition },
        {
          update: keys.webhook(scope.tenantId, id),
          set: { conversation_id: null, timestamp: now() },
          remove: ["gsi1pk", "gsi1sk"],
          condition,
        },
      ]);
    } catch (error) {
      // Removed or mapped anew meanwhile, or taken away before: nothing is left to do.
      if (!(error instanceof TransactionFailed)) throw error;
    }
  }
}

interface StoredDelivery extends Delivery {
  readonly fingerprint: string;
}

/** A delivery seen before, or undefined. */
export async function findDelivery(
  scope: TenantScope,
  channelId: string,
  fingerprint: string,
): Promise<StoredDelivery | undefined> {
  const key = keys.delivery(scope.tenantId, channelId, fingerprint);
  return (await tenantTable(scope).get(key, { consistent: true })) as StoredDelivery | undefined;
}

/** Notes that a delivery came again. It is no reason to refuse it when that cannot be noted. */
export async function noteDuplicate(scope: TenantScope, channelId: string, fingerprint: string): Promise<void> {
  try {
    await tenantTable(scope).write({
      update: keys.delivery(scope.tenantId, channelId, fingerprint),
      add: { duplicates: 1 },
      condition: { where: "attribute_exists(#pk)" },
    });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Somebody delivered the same meanwhile. */
export class DeliveredBefore extends Error {
  override name = "DeliveredBefore";
}

/** The message that later events of an incident reply to, or null. */
export async function incidentRoot(scope: TenantScope, channelId: string, incident: string): Promise<string | null> {
  const item = await tenantTable(scope).get(keys.incident(scope.tenantId, channelId, incident), { consistent: true });
  return item ? String(item.message_id) : null;
}

/** An alert as it comes into its conversation. */
interface TakenDelivery {
  readonly conversation: StoredConversation;
  readonly message: Message;
  readonly fingerprint: string;
  readonly delivery: Pick<Delivery, "alert_id" | "provider" | "severity">;
  /** The incident that this alert begins, if any. */
  readonly incident: string | null;
}

const deliveredBefore = () => new DeliveredBefore();

const deliveryWrite = (
  { tenantId }: TenantScope,
  channelId: string,
  { message, fingerprint, delivery }: TakenDelivery,
): Write => ({
  put: {
    ...keys.delivery(tenantId, channelId, fingerprint),
    ...indexKeys.deliveries(tenantId, channelId, uniqueTimestamp()),
    discriminator: "delivery",
    ttl: expiresAfter(kept),
    fingerprint,
    ...delivery,
    message_id: message.message_id,
    received_at: timestamp(),
    duplicates: 0,
  },
  condition: absentOrExpired(deliveredBefore),
});

const incidentWrite = ({ tenantId }: TenantScope, channelId: string, incident: string, message: Message): Write => ({
  put: {
    ...keys.incident(tenantId, channelId, incident),
    discriminator: "incident",
    ttl: expiresAfter(kept),
    message_id: message.message_id,
  },
  condition: absentOrExpired(deliveredBefore),
});

/**
 * Records an alert: its message, the conversation's activity and what makes it known again, all or nothing.
 * @throws DeliveredBefore when it is there already or the incident has begun meanwhile, `not_found` without conversation
 */
export async function recordAlert(scope: TenantScope, channelId: string, taken: TakenDelivery): Promise<void> {
  const { conversation, message, incident } = taken;
  await tenantTable(scope).transact([
    deliveryWrite(scope, channelId, taken),
    ...(incident === null ? [] : [incidentWrite(scope, channelId, incident, message)]),
    newMessageWrite(scope, message),
    activityWrite(scope, conversation, 1),
  ]);
}

/** What a channel took, newest first. @throws ServiceError `invalid_cursor` */
export async function listDeliveries(
  scope: TenantScope,
  channelId: string,
  request: PageRequest,
): Promise<Page<Delivery>> {
  const { gsi1pk: pk } = indexKeys.deliveries(scope.tenantId, channelId, "");
  const list = { list: "deliveries", filters: { channelId }, index: "gsi1", pk, descending: true } as const;
  const { entries, next } = await listPage(scope, list, request);
  return { entries: entries as unknown as Delivery[], next };
}
