import { job } from "#shared/changes/job.ts";
import { deliverEvent } from "#shared/events/deliver-event.ts";
import type { DeliveryJob } from "#shared/events/schedule-delivery.ts";
import { deliverUpdate } from "#shared/investigations/updates/deliver-update.ts";
import type { UpdateJob } from "#shared/investigations/updates/schedule-update.ts";

/** Sends an event, or writes an update of an incident: both go to servers that may be slow or fail for hours. */
export const handler = job<DeliveryJob | UpdateJob>((message) =>
  "update" in message ? deliverUpdate(message) : deliverEvent(message),
);
