import { createHmac, randomUUID } from "node:crypto";
import { Client, readResponse } from "#test/support/client.ts";

export type DeliveryHeaders = Record<string, string>;

/** Message of an alert as the API returns it. */
export interface AlertMessage {
  readonly message_id: string;
  readonly parent_id: string | null;
  readonly content: readonly { readonly text?: string; readonly items?: string[] }[];
  readonly alert: {
    readonly provider: string;
    readonly state: string | null;
    readonly severity: string;
    readonly is_test: boolean;
  };
}

/** Entry of a channel's log of deliveries. */
export interface DeliveryEntry {
  readonly fingerprint: string;
  readonly status: "accepted" | "refused";
  readonly reason: string | null;
  readonly detail: string | null;
  readonly provider: string | null;
  readonly message_id: string | null;
  readonly alert_id: string | null;
  readonly ignored_fields: readonly string[];
  readonly guessed_paths: Readonly<Record<string, string>> | null;
  readonly duplicates: number;
}

/** Registers a channel for a new conversation. */
export async function createChannel(options: Record<string, unknown> = {}, client = new Client()) {
  const conversation_id = await client.createConversation("Alerts");
  const id = `c-${randomUUID()}`;
  const { body } = await client.post("/v1/webhooks/register", { channel_id: id, conversation_id, ...options });
  const post = async (raw: string, headers: DeliveryHeaders) => {
    const response = await fetch(`${client.baseUrl}/v1/webhooks/${id}`, { method: "POST", headers, body: raw });
    return readResponse(response);
  };
  const messages = async () =>
    (await client.get(`/v1/conversations/${conversation_id}/messages?limit=100`)).body.messages as AlertMessage[];
  const deliveries = async () =>
    (await client.get(`/v1/webhooks/${id}/deliveries?limit=100`)).body.deliveries as DeliveryEntry[];
  return {
    client,
    id,
    conversation_id,
    registration: body as DeliveryHeaders & { message: string },
    post,
    messages,
    deliveries,
  };
}

export const hmacHex = (secret: string, raw: string) => createHmac("sha256", secret).update(raw).digest("hex");

/** Signs a body as Standard Webhooks specifies. */
export function standardHeaders(
  secret: string,
  raw: string,
  id: string = randomUUID(),
  seconds = Date.now() / 1_000,
): DeliveryHeaders {
  const timestamp = String(Math.round(seconds));
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${raw}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
