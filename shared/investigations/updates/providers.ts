import type { WriteBackProvider } from "../../api/webhooks/write-back.ts";
import { alertmanager } from "./alertmanager.ts";
import { github } from "./github.ts";
import { grafana, grafanaIrm } from "./grafana.ts";
import { pagerduty, pagerdutyEvents } from "./pagerduty.ts";
import type { UpdateProvider } from "./provider.ts";

export const providers: Readonly<Record<WriteBackProvider, UpdateProvider>> = {
  pagerduty,
  pagerduty_events: pagerdutyEvents,
  grafana,
  grafana_irm: grafanaIrm,
  alertmanager,
  github,
};
