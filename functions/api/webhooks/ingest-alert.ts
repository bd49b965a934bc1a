import { ingestAlertRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { ingestAlert } from "#shared/webhooks/ingest-alert.ts";
import { webhookCredential } from "#shared/webhooks/webhook-credential.ts";

export const handler = endpoint(
  ingestAlertRoute,
  async ({ principal, body, headers, rawBody, requestId }) => {
    const { duplicate, ...result } = await ingestAlert(principal, { payload: body, headers, rawBody });
    if (duplicate) countMetric("duplicates");
    return {
      status: "success" as const,
      message: duplicate ? "This alert was already received." : "The alert was added to its conversation.",
      ...result,
      ignored_fields: [...result.ignored_fields],
      trace_id: requestId,
    };
  },
  webhookCredential,
);
