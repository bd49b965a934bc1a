import { hasMark, toNote, type UpdateProvider } from "./provider.ts";

interface Silence {
  readonly id: string;
  readonly comment?: string;
  readonly status?: { readonly state?: string };
}

const textEntries = (value: unknown) =>
  Object.entries((value ?? {}) as Record<string, unknown>).filter(
    ([, text]) => typeof text === "string" && text !== "",
  );

/**
 * Provider that creates silences in Alertmanager. Acknowledging an incident silences the labels that its alerts share,
 * and resolving it ends the silence. Grafana's own Alertmanager is at `/api/alertmanager/grafana`.
 * @see https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
 */
export const alertmanager: UpdateProvider = {
  defaultUrl: null,
  actions: ["acknowledge", "resolve"],
  requires: [],
  headersOf: (secret): Record<string, string> => (secret === "" ? {} : { authorization: secret }),
  findTarget({ provider, metadata }) {
    if (provider !== "alertmanager" && provider !== "grafana") return null;
    const labels = Object.fromEntries([...textEntries(metadata.group), ...textEntries(metadata.labels)]) as Record<
      string,
      string
    >;
    const names = Object.keys(labels).sort();
    if (names.length === 0) return null;
    return { id: names.map((name) => `${name}=${labels[name]}`).join(", "), labels };
  },
  async write(call, { labels = {} }, update, { silence_hours }) {
    const { action, investigation_id, created_at, isRepeated } = update;
    const list = async () => ((await call("GET", "/api/v2/silences")) ?? []) as Silence[];
    if (action === "resolve") {
      const isOwn = ({ comment, status }: Silence) =>
        comment?.includes(investigation_id) === true && status?.state !== "expired";
      for (const { id } of (await list()).filter(isOwn)) {
        await call("DELETE", `/api/v2/silence/${encodeURIComponent(id)}`);
      }
      return;
    }
    if (isRepeated && hasMark(await list(), update)) return;
    const matchers = Object.entries(labels).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true }));
    const endsAt = new Date(Date.parse(created_at) + silence_hours * 3_600_000).toISOString();
    const comment = toNote(update, `Acknowledged, investigation ${investigation_id}`);
    await call("POST", "/api/v2/silences", {
      matchers,
      startsAt: created_at,
      endsAt,
      createdBy: "Switchboard",
      comment,
    });
  },
};
