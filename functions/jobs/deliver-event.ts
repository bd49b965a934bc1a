import { job } from "#shared/changes/job.ts";
import { deliverEvent } from "#shared/events/deliver-event.ts";
import type { DeliveryJob } from "#shared/events/schedule-delivery.ts";
import { deliverUpdate } from "#shared/investigations/updates/deliver-update.ts";
import type { UpdateJob } from "#shared/investigations/updates/schedule-update.ts";

/**
 * Delivers an event to an endpoint, or an incident update to a monitoring tool. Both are servers that can be slow or fail for
 * hours.
 */
export const handler = job<DeliveryJob | UpdateJob>((message) =>
  "update" in message ? deliverUpdate(message) : deliverEvent(message),
);
