import type { EndpointOptions } from "../http/chain.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { recordRefusal, toRefusalEntry } from "./refusal-log.ts";
import { verifyWebhook } from "./verify-webhook.ts";

/**
 * Options of the endpoint that receives webhooks. They are in a module of their own, so that other functions neither
 * contain this code nor need the deployment's secret.
 */
export const webhookCredential: EndpointOptions = {
  /** Verifies the signature of a delivery. A Lambda authorizer could not, because it does not receive the body. */
  authenticate: async (context) => {
    const { http } = context;
    const channelId = http.params.channel_id ?? "";
    const verify = () => verifyWebhook(http, channelId);
    context.principal = await verifyLimited(http.address, verify, { readsTable: true, channelId });
  },
  /**
   * Logs deliveries with a valid signature that are refused because their body is not JSON. Deliveries over the rate limit are not
   * logged, because the limit should save writes.
   */
  onError: async ({ principal }, error) => {
    if (principal?.kind !== "channel" || error.status >= 500 || error.code === "rate_limited") return;
    await recordRefusal(principal, principal.keyId, toRefusalEntry(error));
  },
};
