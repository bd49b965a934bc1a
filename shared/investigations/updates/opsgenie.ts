import { hasMark, idTarget, markOf, toNote, type UpdateProvider } from "./provider.ts";

/**
 * Provider for the Alert API of Opsgenie, which responds before it has processed a request.
 * @see https://docs.opsgenie.com/docs/alert-api
 */
export const opsgenie: UpdateProvider = {
  defaultUrl: "https://api.opsgenie.com",
  actions: ["acknowledge", "note", "resolve"],
  requires: ["secret"],
  headersOf: (secret) => ({ authorization: `GenieKey ${secret}` }),
  findTarget: ({ provider, alert_id }) => (provider === "opsgenie" ? idTarget(alert_id, /^[\w-]{1,100}$/) : null),
  async write(call, { id }, update) {
    const { action, text, isRepeated, requested_by } = update;
    const at = (path: string, query = "") => `/v2/alerts/${id}${path}?identifierType=id${query}`;
    const by = { source: markOf(update), user: requested_by.slice(0, 100) };
    if (action === "note") {
      if (isRepeated && hasMark(await call("GET", at("/notes", "&limit=100&order=desc")), update)) return;
      await call("POST", at("/notes"), { ...by, note: toNote(update) });
      return;
    }
    if (action === "acknowledge") {
      await call("POST", at("/acknowledge"), by);
      return;
    }
    if (text && isRepeated) {
      const { data } = ((await call("GET", at(""))) ?? {}) as { readonly data?: { readonly status?: string } };
      if (data?.status === "closed") return;
    }
    await call("POST", at("/close"), { ...by, ...(text && { note: toNote(update) }) });
  },
};
