import { job } from "#shared/changes/job.ts";
import { deliverEvent } from "#shared/events/deliver-event.ts";
import type { DeliveryJob } from "#shared/events/schedule-delivery.ts";

export const handler = job<DeliveryJob>(deliverEvent);
