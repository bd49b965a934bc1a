import * as v from "valibot";
import { describe, HttpUrl } from "../fields.ts";
import { ToolMode } from "../tools/tool-server.ts";

/** Services that updates of incidents are written to. */
export const WriteBackProvider = v.picklist([
  "pagerduty",
  "pagerduty_events",
  "grafana",
  "grafana_irm",
  "alertmanager",
  "github",
]);
export type WriteBackProvider = v.InferOutput<typeof WriteBackProvider>;

export const incidentActions = ["acknowledge", "note", "resolve"] as const;
export const IncidentAction = v.picklist(incidentActions);
export type IncidentAction = v.InferOutput<typeof IncidentAction>;

const Actions = v.strictObject({
  acknowledge: v.optional(ToolMode),
  note: v.optional(ToolMode),
  resolve: v.optional(ToolMode),
});

const HeaderText = v.pipe(v.string(), v.regex(/^[\x21-\x7e][\x20-\x7e]*$/, "must be one line of ASCII characters"));

const Email = v.pipe(v.string(), v.maxLength(254), v.email("must be an e-mail address"));

const Repository = v.pipe(
  v.string(),
  v.regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, "must be an owner and a repository: owner/name"),
);

const settings = {
  provider: WriteBackProvider,
  from: describe(
    v.optional(v.nullable(Email), null),
    "The e-mail address of a user of PagerDuty, in whose name incidents are changed.",
  ),
  repository: describe(
    v.optional(v.nullable(Repository), null),
    "The repository of GitHub whose issues are updated, and no other.",
  ),
  stack_url: describe(
    v.optional(v.nullable(HttpUrl), null),
    "The address of the Grafana stack, which Grafana IRM needs for tokens of service accounts.",
  ),
  silence_hours: describe(
    v.optional(v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1), v.maxValue(168)), 4),
    "The duration of a silence of Alertmanager.",
  ),
  actions: describe(
    v.optional(Actions, { acknowledge: "confirm", note: "confirm", resolve: "confirm" }),
    "The consent that each update needs, as for tools: none (`auto`), that of the person who asks for it (`confirm`), or that of another one with `approval.decide` (`approve`). One that is missing is not offered.",
  ),
  post_result: describe(
    v.optional(v.boolean(), false),
    "Writes the result of a completed investigation as a note, with the consent that notes need.",
  ),
};

/** Settings of the updates that a channel writes back, in a request. */
export const WriteBackInput = v.strictObject({
  ...settings,
  url: describe(v.optional(HttpUrl), "The address of the API; that of the service by default."),
  secret: describe(
    v.optional(v.pipe(HeaderText, v.maxLength(2_000))),
    "The API key or token; for Alertmanager, the value of the header `Authorization`, if it needs one. It is kept if it is missing and provider and site stay the same.",
  ),
});
export type WriteBackInput = v.InferOutput<typeof WriteBackInput>;

/** Settings of the updates that a channel writes back. */
export const WriteBack = v.object({
  ...settings,
  url: v.string(),
  has_secret: v.boolean(),
  set_by: v.string(),
});
export type WriteBack = v.InferOutput<typeof WriteBack>;
