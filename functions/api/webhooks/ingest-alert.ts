import { ingestAlert } from "#shared/api/channels/webhooks.ts";
import { takeAlert } from "#shared/channels/ingest-alert.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(ingestAlert, async ({ principal, body, headers, rawBody, requestId }) => {
  const provider = headers["x-webhook-provider"];
  const { alert_id, message_id, duplicate } = await takeAlert(principal, { provider, payload: body, rawBody });
  return {
    status: "success" as const,
    message: duplicate ? "This alert was already received." : "The alert was added to its conversation.",
    alert_id,
    message_id,
    trace_id: requestId,
  };
});
