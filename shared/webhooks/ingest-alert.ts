import { createHash } from "node:crypto";
import * as v from "valibot";
import type { AlertProvider } from "../api/webhooks/webhooks.ts";
import type { ChannelPrincipal } from "../auth/principal.ts";
import { getConversation } from "../conversations/conversation-store.ts";
import { findMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { getCurrentPolicy } from "../governance/policy-store.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import { mergeVerdicts } from "../guardrails/merge-verdicts.ts";
import type { GuardrailVerdict } from "../guardrails/types.ts";
import { now } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { lazily } from "../lib/lazily.ts";
import { retry } from "../lib/retry.ts";
import { findEventKey, findIgnoredFields, findSource, normalizeAlert } from "./adapters/adapters.ts";
import type { Alert, AlertPayload, NormalizedAlert } from "./adapters/types.ts";
import { alertMessage } from "./alert-message.ts";
import {
  ConcurrentDeliveryError,
  countDuplicate,
  findDelivery,
  findIncidentMessageId,
  recordDelivery,
} from "./delivery-store.ts";
import { incidentOf, updateIncidentMessage } from "./incident-message.ts";
import type { SignedRequest } from "./signatures.ts";

/** Delivery with a verified signature and a parsed payload. */
interface AlertDelivery extends SignedRequest {
  readonly payload: AlertPayload;
}

interface IngestedAlert {
  readonly alert_id: string;
  readonly message_id: string;
  readonly provider: AlertProvider;
  /** Top-level fields of the payload that the provider's adapter ignores. */
  readonly ignored_fields: readonly string[];
  readonly duplicate: boolean;
}

const WITHHELD_TEXT = "The text of this alert was withheld because it did not pass the safety check.";

/** Maximum number of attempts if other requests record the same event or incident concurrently. */
const MAX_ATTEMPTS = 4;

/** Guardrail verdicts on the description, and on all other texts of an alert. */
interface AlertVerdicts {
  readonly description: GuardrailVerdict;
  readonly rest: GuardrailVerdict;
}

async function checkAlert(
  scope: TenantScope,
  { description, title, details, link, metadata }: Alert,
): Promise<AlertVerdicts> {
  const { guardrails } = await getCurrentPolicy(scope);
  const guardrail = await loadGuardrail(guardrails);
  const check = (text: string) => guardrail.check({ stage: "input", place: "alert", text });
  const [first, rest] = await Promise.all([
    check(description),
    check(JSON.stringify({ title, details, link, metadata })),
  ]);
  return { description: first, rest };
}

/** Parts of an alert that the guardrail checks as one JSON text. */
const CheckedParts = v.object({
  title: v.nullable(v.string()),
  details: v.record(v.string(), v.string()),
  link: v.nullable(v.string()),
  metadata: v.record(v.string(), v.unknown()),
});

/** Returns replacements for these parts: none if they are allowed, redacted ones, or empty ones if they are blocked. */
function toCheckedParts({ action, text }: GuardrailVerdict): Partial<Alert> {
  if (action === "allow") return {};
  const none = { title: null, details: {}, link: null, metadata: {} };
  if (action === "block") return none;
  try {
    return v.parse(CheckedParts, JSON.parse(text));
  } catch {
    // The redaction covers a delimiter of the JSON text.
    return none;
  }
}

/** Removes or redacts the parts of an alert to which the guardrail objects, and adds the merged verdicts as `safety`. */
function withSafety(alert: Alert, { description, rest }: AlertVerdicts): Alert & { readonly safety: unknown } {
  const { action, categories } = mergeVerdicts([description, rest]);
  return {
    ...alert,
    ...toCheckedParts(rest),
    description: description.action === "block" ? WITHHELD_TEXT : description.text,
    safety: { action, categories },
  };
}

/**
 * Returns the hash that identifies the event of a delivery: of the signed id of Standard Webhooks, of the provider's
 * event id in the payload, or else of the whole body. Unsigned headers are not used, so that a captured body cannot be
 * recorded twice.
 */
function fingerprintOf(
  { signatureScheme, alertPaths: paths }: ChannelPrincipal,
  { headers, rawBody, payload }: AlertDelivery,
): string {
  const hash = createHash("sha256");
  const signedId = signatureScheme === "standard-webhooks" ? headers["webhook-id"] : undefined;
  if (signedId !== undefined) return hash.update(`webhook-id\0${signedId}`).digest("base64url");
  const eventKey = findEventKey(payload, paths);
  return (eventKey === null ? hash.update(rawBody) : hash.update(`event\0${eventKey}`)).digest("base64url");
}

/**
 * Returns the fingerprint of an alert without a time whose incident has ended or opened again since an identical delivery: it is
 * another event then. Returns null for any other repeated delivery.
 */
async function findReturn(
  channel: ChannelPrincipal,
  { alert: { state }, incident, isTimed }: NormalizedAlert,
  fingerprint: string,
): Promise<string | null> {
  if (isTimed || incident === null || state === null || state === "acknowledged") return null;
  const messageId = await findIncidentMessageId(channel, channel.keyId, incident);
  const first = incidentOf(messageId ? await findMessage(channel, channel.conversationId, messageId) : undefined);
  if (!first?.updated_at || (first.state === "resolved") === (state === "resolved")) return null;
  return createHash("sha256").update(`return\0${fingerprint}\0${first.updated_at}`).digest("base64url");
}

async function record(
  channel: ChannelPrincipal,
  { alert, incident, isTimed, guessedPaths }: NormalizedAlert,
  fingerprint: string,
  ignoredFields: readonly string[],
  payload: AlertPayload,
): Promise<string> {
  const { keyId } = channel;
  const [conversation, rootId] = await Promise.all([
    getConversation(channel, channel.conversationId),
    incident === null ? null : findIncidentMessageId(channel, keyId, incident),
  ]);
  const message = alertMessage(channel.conversationId, alert, rootId);
  const { alert_id, provider, severity, is_test } = alert;
  await recordDelivery(channel, keyId, {
    conversation,
    message,
    fingerprint,
    delivery: {
      alert_id,
      provider,
      severity,
      incident,
      is_test,
      ignored_fields: [...ignoredFields],
      guessed_paths: guessedPaths,
    },
    body: guessedPaths && JSON.stringify(payload),
    startsIncident: rootId === null,
    isRecorded: channel.isRecorded,
    isPosted: channel.isPosted,
  });
  if (rootId !== null) await updateIncidentMessage(channel, channel.conversationId, rootId, alert, isTimed);
  return message.message_id;
}

/**
 * Adds the alert of a delivery to the channel's conversation. Each event is added once.
 * @throws ServiceError `not_found` if the conversation was deleted
 */
export async function ingestAlert(channel: ChannelPrincipal, delivery: AlertDelivery): Promise<IngestedAlert> {
  const { payload, headers } = delivery;
  const { alertPaths: paths } = channel;
  const found = findSource(payload, headers, paths);
  const normalized = normalizeAlert(found, payload, { nowMs: now(), newAlertId: newId() });
  const ignored_fields = findIgnoredFields(found, payload);
  const { alert_id, provider } = normalized.alert;
  const findDuplicate = async (fingerprint: string): Promise<IngestedAlert | null> => {
    const earlier = await findDelivery(channel, channel.keyId, fingerprint);
    if (!earlier) return null;
    await countDuplicate(channel, channel.keyId, fingerprint);
    return {
      alert_id: earlier.alert_id ?? "",
      message_id: earlier.message_id ?? "",
      provider: earlier.provider ?? provider,
      ignored_fields: earlier.ignored_fields,
      duplicate: true,
    };
  };
  const loadVerdicts = lazily(() => checkAlert(channel, normalized.alert));
  const ingest = async (): Promise<IngestedAlert> => {
    const first = fingerprintOf(channel, delivery);
    const isRepeated = (await findDelivery(channel, channel.keyId, first)) !== undefined;
    const fingerprint = (isRepeated && (await findReturn(channel, normalized, first))) || first;
    const earlier = await findDuplicate(fingerprint);
    if (earlier) return earlier;
    const checked = { ...normalized, alert: withSafety(normalized.alert, await loadVerdicts()) };
    const message_id = await record(channel, checked, fingerprint, ignored_fields, payload);
    return { alert_id, message_id, provider, ignored_fields, duplicate: false };
  };
  const isRetryable = (error: unknown) => error instanceof ConcurrentDeliveryError;
  return retry(ingest, { maxAttempts: MAX_ATTEMPTS, isRetryable });
}
