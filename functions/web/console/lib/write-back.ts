import type { ReplyOf } from "../../../../shared/client/index.ts";

type Provider = NonNullable<ReplyOf<"/v1/webhooks/{channel_id}", "patch">["write_back"]>["provider"];

/** Names of the services to which incident updates are written. */
export const providerLabels: Readonly<Record<Provider, string>> = {
  pagerduty: "PagerDuty",
  pagerduty_events: "PagerDuty Events",
};
