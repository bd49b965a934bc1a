import type { EndpointOptions } from "../http/chain.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { recordRefusal, toRefusal } from "./refusal-log.ts";
import { verifyWebhook } from "./verify-webhook.ts";

/**
 * Steps of an endpoint that receives webhooks. In a module of their own, so that no other function contains the code and
 * needs the application secret.
 */
export const webhookCredential: EndpointOptions = {
  /** Verifies the signature of a webhook delivery: an authorizer does not receive the body. */
  authenticate: async (context) => {
    const { http } = context;
    const channelId = http.params.channel_id ?? "";
    const verify = () => verifyWebhook(http, channelId);
    context.principal = await verifyLimited(http.address, verify, { readsTable: true, channelId });
  },
  /**
   * Adds a delivery whose signature is valid, but whose content is refused, to the log of its channel. Deliveries over the
   * rate limit are not added, because the limit must spare the table.
   */
  onError: async ({ principal, http }, error) => {
    if (principal?.kind !== "channel" || error.status >= 500 || error.code === "rate_limited") return;
    const body = error.code === "validation_failed" ? http.rawBody.toString() : "";
    await recordRefusal(principal, principal.keyId, { ...toRefusal(error), body });
  },
};
