import { hasMark, idOfForm, textOf, toNote, type UpdateProvider } from "./provider.ts";

const statuses = { acknowledge: "acknowledged", resolve: "resolved" } as const;

/**
 * Provider for the REST API of PagerDuty.
 * @see https://developer.pagerduty.com/api-reference/8a0e1aa2ec666-update-an-incident
 */
export const pagerduty: UpdateProvider = {
  defaultUrl: "https://api.pagerduty.com",
  actions: ["acknowledge", "note", "resolve"],
  requires: ["from", "secret"],
  headersOf: (secret, { from }) => ({
    accept: "application/vnd.pagerduty+json;version=2",
    authorization: `Token token=${secret}`,
    ...(from !== null && { from }),
  }),
  findTarget: (alert) =>
    alert.provider === "pagerduty" ? idOfForm(textOf(alert, "incident_id"), /^[A-Z0-9]{1,40}$/i) : null,
  async write(call, update) {
    const { action, text, target } = update;
    if (action === "note") {
      const path = `/incidents/${target}/notes`;
      if (update.isRepeated && hasMark(await call("GET", path), update)) return;
      await call("POST", path, { note: { content: toNote(update) } });
      return;
    }
    const resolution = action === "resolve" && text ? { resolution: text } : {};
    const incident = { type: "incident_reference", status: statuses[action], ...resolution };
    await call("PUT", `/incidents/${target}`, { incident });
  },
};

/**
 * Provider for the Events API of PagerDuty, which needs only the routing key of a service and has no notes. PagerDuty
 * deduplicates events with the same key and action.
 * @see https://developer.pagerduty.com/docs/send-alert-event
 */
export const pagerdutyEvents: UpdateProvider = {
  defaultUrl: "https://events.pagerduty.com",
  actions: ["acknowledge", "resolve"],
  requires: ["secret"],
  headersOf: () => ({}),
  findTarget(alert) {
    const id = textOf(alert, "incident_key") ?? textOf(alert, "dedup_key");
    return idOfForm(id, /^.{1,255}$/);
  },
  async write(call, { target, action }, secret) {
    await call("POST", "/v2/enqueue", { routing_key: secret, event_action: action, dedup_key: target });
  },
};
