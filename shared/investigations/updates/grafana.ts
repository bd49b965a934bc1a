import { hasMark, idTarget, markOf, textOf, toNote, type UpdateProvider } from "./provider.ts";

const texts = { acknowledge: "Acknowledged", note: "Note", resolve: "Resolved" } as const;

/**
 * Provider that adds annotations in Grafana, on the dashboard of the alert if it names one. Alerts of Grafana itself
 * cannot be acknowledged.
 * @see https://grafana.com/docs/grafana/latest/developers/http_api/annotations/
 */
export const grafana: UpdateProvider = {
  defaultUrl: null,
  actions: ["acknowledge", "note", "resolve"],
  requires: ["secret"],
  headersOf: (secret) => ({ authorization: `Bearer ${secret}` }),
  findTarget({ provider, title, alert_id, link }) {
    const dashboard = provider === "grafana" ? /\/d\/([\w-]{1,40})(?:[/?#]|$)/.exec(link ?? "")?.[1] : undefined;
    return { id: title ?? alert_id, ...(dashboard && { dashboard }) };
  },
  async write(call, { id, dashboard, at }, update) {
    const { action, text, created_at, isRepeated } = update;
    const tag = markOf(update);
    if (isRepeated) {
      const found = await call("GET", `/api/annotations?limit=1&tags=${encodeURIComponent(tag)}`);
      if (Array.isArray(found) && found.length > 0) return;
    }
    const time = Date.parse(created_at);
    const start = Date.parse(at);
    // The annotation of a resolved incident is the region since its alert.
    const isRegion = action === "resolve" && start < time;
    await call("POST", "/api/annotations", {
      ...(isRegion ? { time: start, timeEnd: time } : { time }),
      ...(dashboard && { dashboardUID: dashboard }),
      tags: ["switchboard", action, tag],
      text: toNote(update, [`${texts[action]}: ${id}`, text].filter(Boolean).join("\n")),
    });
  },
};

const groupStates = { acknowledge: "acknowledged", resolve: "resolved" } as const;

/**
 * Provider for Grafana IRM and OnCall. The alert names its alert group by `alert_group_id` in its metadata; a custom
 * alert by its id.
 * @see https://grafana.com/docs/grafana-cloud/alerting-and-irm/irm/reference/oncall-api/alertgroups/
 */
export const grafanaIrm: UpdateProvider = {
  defaultUrl: null,
  actions: ["acknowledge", "note", "resolve"],
  requires: ["secret"],
  headersOf: (secret, { stack_url }) => ({ authorization: secret, ...(stack_url && { "x-grafana-url": stack_url }) }),
  findTarget(alert) {
    const id = textOf(alert, "alert_group_id") ?? (alert.provider === "custom" ? alert.alert_id : null);
    return idTarget(id, /^[A-Z0-9]{6,30}$/);
  },
  async write(call, { id }, update) {
    const { action, text, isRepeated } = update;
    const addNote = async () => {
      const path = "/api/v1/resolution_notes/";
      if (isRepeated && hasMark(await call("GET", `${path}?alert_group_id=${id}`), update)) return;
      await call("POST", path, { alert_group_id: id, text: toNote(update) });
    };
    if (text) await addNote();
    if (action === "note") return;
    if (isRepeated) {
      const group = (await call("GET", `/api/v1/alert_groups/${id}/`)) as { readonly state?: string } | null;
      if (group?.state === groupStates[action]) return;
    }
    await call("POST", `/api/v1/alert_groups/${id}/${action}`);
  },
};
