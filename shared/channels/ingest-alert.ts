import { createHash } from "node:crypto";
import type { Block } from "../api/blocks.ts";
import type { Message } from "../api/conversations/messages.ts";
import type { ChannelPrincipal } from "../auth/principal.ts";
import { getConversation } from "../conversations/conversation-store.ts";
import { loadGuardrail } from "../guardrails/guardrail.ts";
import type { Verdict } from "../guardrails/types.ts";
import { now, timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type Alert, type NormalizedAlert, normalizeAlert, providerOf } from "./alerts.ts";
import { DeliveredBefore, findDelivery, incidentRoot, noteDuplicate, recordAlert } from "./webhook-store.ts";

/** An alert as it was delivered. */
export interface AlertDelivery {
  /** `X-Webhook-Provider`, if it came. */
  readonly provider: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly rawBody: Buffer;
}

/** What became of a delivery. */
export interface TakenAlert {
  readonly alert_id: string;
  readonly message_id: string;
  readonly duplicate: boolean;
}

const withheld = "The text of this alert was withheld: it did not pass the safety check.";

/** Tries of an alert that lost against its own twin or against another event of its incident. */
const attempts = 4;

function contentOf({ severity, description, metadata, triggered_at }: Alert): Block[] {
  const { title } = metadata;
  const heading = `**${severity.toUpperCase()}**${typeof title === "string" && title ? ` · ${title}` : ""}`;
  return [
    { type: "text", text: `${heading}\n\n${description}` },
    { type: "list", ordered: false, items: [`Severity: ${severity}`, `Triggered: ${triggered_at}`] },
  ];
}

/** What the safety check found in an alert: in what people read first, and in the rest. */
interface AlertCheck {
  readonly description: Verdict;
  readonly metadata: Verdict;
}

async function checkAlert({ description, metadata }: Alert): Promise<AlertCheck> {
  const guardrail = await loadGuardrail();
  const check = (text: string) => guardrail.check({ stage: "input", text });
  const [first, rest] = await Promise.all([check(description), check(JSON.stringify(metadata))]);
  return { description: first, metadata: rest };
}

/** The alert as it may be shown: without what the safety check takes exception to, and with what that found. */
function shownAlert(alert: Alert, { description, metadata }: AlertCheck): Alert & { safety: unknown } {
  const worst = [description, metadata].find(({ action }) => action !== "allow") ?? description;
  return {
    ...alert,
    description: description.action === "block" ? withheld : description.text,
    metadata: metadata.action === "allow" ? alert.metadata : {},
    safety: { action: worst.action, categories: worst.categories },
  };
}

/** The alert as a message: an alert is never lost, whatever is withheld of it. */
function messageOf(channel: ChannelPrincipal, alert: Alert, parentId: string | null): Message {
  return {
    message_id: newId(),
    conversation_id: channel.conversationId,
    role: "alert",
    content: contentOf(alert),
    status: "complete",
    parent_id: parentId,
    author_id: null,
    tier: null,
    model: null,
    usage: null,
    alert: { ...alert },
    created_at: timestamp(),
    edited_at: null,
  };
}

function fingerprintOf({ alert, sameness }: NormalizedAlert, rawBody: Buffer): string {
  const hash = createHash("sha256").update(`${alert.provider}\0`);
  return hash.update(sameness === null ? rawBody : `=${sameness}`).digest("base64url");
}

async function record(channel: ChannelPrincipal, { alert, incident }: NormalizedAlert, fingerprint: string) {
  const { keyId } = channel;
  const [conversation, root] = await Promise.all([
    getConversation(channel, channel.conversationId),
    incident === null ? null : incidentRoot(channel, keyId, incident),
  ]);
  const message = messageOf(channel, alert, root);
  const { alert_id, provider, severity } = alert;
  await recordAlert(channel, keyId, {
    conversation,
    message,
    fingerprint,
    delivery: { alert_id, provider, severity },
    incident: root === null ? incident : null,
  });
  return message.message_id;
}

/**
 * Takes an alert into its conversation, once, however often it is delivered.
 * @throws ServiceError `validation_failed` for a payload that is none, `not_found` when the conversation is gone
 */
export async function takeAlert(channel: ChannelPrincipal, delivery: AlertDelivery): Promise<TakenAlert> {
  const provider = providerOf(delivery.provider, delivery.payload);
  const normalized = normalizeAlert(provider, delivery.payload, { now: now(), freshId: newId() });
  const fingerprint = fingerprintOf(normalized, delivery.rawBody);
  const known = async (): Promise<TakenAlert | null> => {
    const earlier = await findDelivery(channel, channel.keyId, fingerprint);
    if (!earlier) return null;
    await noteDuplicate(channel, channel.keyId, fingerprint);
    return { alert_id: earlier.alert_id, message_id: earlier.message_id, duplicate: true };
  };
  const earlier = await known();
  if (earlier) return earlier;
  const shown = { ...normalized, alert: shownAlert(normalized.alert, await checkAlert(normalized.alert)) };
  for (let attempt = 1; ; attempt++) {
    try {
      const message_id = await record(channel, shown, fingerprint);
      return { alert_id: normalized.alert.alert_id, message_id, duplicate: false };
    } catch (error) {
      if (!(error instanceof DeliveredBefore) || attempt === attempts) throw error;
      const twin = await known();
      if (twin) return twin;
    }
  }
}
