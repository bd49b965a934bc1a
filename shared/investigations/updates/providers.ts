import type { WriteBackProvider } from "../../api/webhooks/write-back.ts";
import { pagerduty, pagerdutyEvents } from "./pagerduty.ts";
import type { UpdateProvider } from "./provider.ts";

export const providers: Readonly<Record<WriteBackProvider, UpdateProvider>> = {
  pagerduty,
  pagerduty_events: pagerdutyEvents,
};
