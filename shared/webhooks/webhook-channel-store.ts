import * as v from "valibot";
import { AlertPaths } from "../api/webhooks/alert-paths.ts";
import { Investigate } from "../api/webhooks/investigate.ts";
import { SlackPlace, TeamsPlace } from "../api/webhooks/places.ts";
import { SignatureScheme } from "../api/webhooks/webhooks.ts";
import { WriteBack } from "../api/webhooks/write-back.ts";
import { hashCredential } from "../auth/credentials.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { listPage, mapPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import { absent, equals, exists, ignoreConditionFailed, notDeleted, type Write } from "../dynamodb/table.ts";
import { systemTable, type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { notFound, requireFound, ServiceError } from "../lib/errors.ts";

const StoredWebhookChannel = v.object({
  channel_id: v.string(),
  tenant_id: v.string(),
  /** Id of this registration, from which the secret is derived. A channel that is registered again gets another one. */
  registration_id: v.string(),
  /** Null if the conversation was deleted. */
  conversation_id: v.nullable(v.string()),
  /** Secret that the provider generated, encrypted; null if there is none. */
  sealed_secret: v.nullable(v.string()),
  /** Previous secret of the provider after a rotation, encrypted. */
  previous_sealed_secret: v.nullable(v.string()),
  /** Epoch seconds until which the provider's previous secret is accepted. */
  previous_sealed_until: v.nullable(v.number()),
  signature_scheme: SignatureScheme,
  /** ARN of the topic whose messages the channel accepts; null for other schemes than `sns`. */
  topic_arn: v.nullable(v.string()),
  /** Version of the derived secret. Each rotation increments it. */
  secret_version: v.number(),
  /** Epoch seconds until which the previous derived secret is accepted. */
  previous_secret_until: v.nullable(v.number()),
  /** Paths to the parts of an alert, for payloads in an unknown format. */
  paths: v.nullable(AlertPaths),
  /** Settings for investigations that alerts start; null if they start none. */
  investigate: v.nullable(Investigate),
  /** Settings for updates that are sent to PagerDuty, and its encrypted secret. */
  write_back: v.nullable(WriteBack),
  sealed_write_back_secret: v.nullable(v.string()),
  /** Slack channel to which alerts are posted. */
  slack: v.nullable(SlackPlace),
  /** Teams channel to which alerts are posted. */
  teams: v.nullable(TeamsPlace),
  created_at: v.string(),
});
export type StoredWebhookChannel = v.InferOutput<typeof StoredWebhookChannel>;

const readChannel = itemReader(StoredWebhookChannel);

const isOfTenant = (scope: TenantScope) => equals({ tenant_id: scope.tenantId });

/** Returns the writes that register a channel. They fail with `conflict` if any tenant has a channel with this id. */
export function registrationWrites(
  scope: TenantScope,
  channel: StoredWebhookChannel & { conversation_id: string },
): Write[] {
  const { channel_id, conversation_id } = channel;
  return [
    {
      put: { ...keys.webhookLookup(hashCredential(channel_id)), discriminator: "webhook-lookup", ...channel },
      condition: absent(() => new ServiceError("conflict", "A channel with this id is already registered.")),
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
      condition: notDeleted(notFound),
    },
  ];
}

/** Returns the channel with an id, of any tenant; undefined if there is none. */
export async function findWebhookChannel(channelId: string): Promise<StoredWebhookChannel | undefined> {
  const item = await systemTable().get(keys.webhookLookup(hashCredential(channelId)), { consistent: true });
  return item && readChannel(item);
}

export async function findWebhookChannelOfTenant(
  scope: TenantScope,
  channelId: string,
): Promise<StoredWebhookChannel | undefined> {
  const item = await tenantTable(scope).get(keys.webhook(scope.tenantId, channelId), { consistent: true });
  return item && readChannel(item);
}

/**
 * Returns a channel of the tenant.
 * @throws ServiceError `not_found`
 */
export async function getWebhookChannel(scope: TenantScope, channelId: string): Promise<StoredWebhookChannel> {
  return requireFound(await findWebhookChannelOfTenant(scope, channelId));
}

/**
 * Lists the tenant's channels in the order of their ids.
 * @throws ServiceError `invalid_cursor`
 */
export async function listWebhookChannels(
  scope: TenantScope,
  request: PageRequest,
): Promise<Page<StoredWebhookChannel>> {
  const { pk } = keys.webhook(scope.tenantId, "");
  return mapPage(await listPage(scope, { list: "webhooks", pk }, request), readChannel);
}

/**
 * Returns the writes that replace a secret of a channel. The previous one stays valid for `overlapSeconds`. They fail
 * with `conflict` if the channel was changed concurrently.
 * @param sealedSecret new secret that the provider generated, encrypted; null to replace the derived secret
 */
export function rotationWrites(
  scope: TenantScope,
  channel: StoredWebhookChannel,
  overlapSeconds: number,
  sealedSecret: string | null,
): Write[] {
  const { channel_id, registration_id, secret_version, sealed_secret } = channel;
  const until = Math.floor(now() / 1_000) + overlapSeconds;
  const set =
    sealedSecret === null
      ? { secret_version: secret_version + 1, previous_secret_until: until }
      : { sealed_secret: sealedSecret, previous_sealed_secret: sealed_secret, previous_sealed_until: until };
  const condition = equals(
    { registration_id, tenant_id: scope.tenantId, secret_version, sealed_secret },
    () => new ServiceError("conflict", "The channel was changed concurrently; reload and retry."),
  );
  return [
    { update: keys.webhook(scope.tenantId, channel_id), set: { ...set, timestamp: now() }, condition },
    { update: keys.webhookLookup(hashCredential(channel_id)), set, condition },
  ];
}

/**
 * Changes settings of a channel.
 * @throws ServiceError `not_found`
 */
export async function changeWebhookChannel(
  scope: TenantScope,
  channelId: string,
  changes: Partial<
    Pick<StoredWebhookChannel, "paths" | "investigate" | "write_back" | "sealed_write_back_secret" | "slack" | "teams">
  >,
): Promise<void> {
  const condition = { ...isOfTenant(scope), onConditionFailed: notFound };
  await tenantTable(scope).transact([
    { update: keys.webhook(scope.tenantId, channelId), set: { ...changes, timestamp: now() }, condition },
    { update: keys.webhookLookup(hashCredential(channelId)), set: changes, condition },
  ]);
}

/**
 * Deletes a channel, so that later deliveries get the status 404.
 * @throws ServiceError `not_found`
 */
export async function removeWebhookChannel(scope: TenantScope, channelId: string): Promise<void> {
  await tenantTable(scope).transact([
    {
      delete: keys.webhook(scope.tenantId, channelId),
      condition: exists(notFound),
    },
    { delete: keys.webhookLookup(hashCredential(channelId)), condition: isOfTenant(scope) },
  ]);
}

/** Removes the link from channels to a deleted conversation. The channels stay registered. */
export async function unmapWebhookChannels(scope: TenantScope, conversationId: string): Promise<void> {
  const { gsi1pk: pk } = indexKeys.conversationWebhooks(scope.tenantId, conversationId, "");
  for (const { channel_id } of await tenantTable(scope).query({ index: "gsi1", pk })) {
    const id = String(channel_id);
    const condition = equals({ tenant_id: scope.tenantId, conversation_id: conversationId });
    // Removed, re-registered or unmapped concurrently: nothing is left to do.
    await tenantTable(scope)
      .transact([
        { update: keys.webhookLookup(hashCredential(id)), set: { conversation_id: null }, condition },
        {
          update: keys.webhook(scope.tenantId, id),
          set: { conversation_id: null, timestamp: now() },
          remove: ["gsi1pk", "gsi1sk"],
          condition,
        },
      ])
      .catch(ignoreConditionFailed);
  }
}
