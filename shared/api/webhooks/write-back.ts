import * as v from "valibot";
import { describe, Email, HttpUrl } from "../fields.ts";
import { ToolMode } from "../tools/tool-server.ts";

/** APIs of PagerDuty that updates of incidents are written to. */
export const WriteBackProvider = v.picklist(["pagerduty", "pagerduty_events"]);
export type WriteBackProvider = v.InferOutput<typeof WriteBackProvider>;

const incidentActions = ["acknowledge", "note", "resolve"] as const;
export const IncidentAction = v.picklist(incidentActions);
export type IncidentAction = v.InferOutput<typeof IncidentAction>;

const Actions = v.strictObject({
  acknowledge: v.optional(ToolMode),
  note: v.optional(ToolMode),
  resolve: v.optional(ToolMode),
});

const HeaderText = v.pipe(v.string(), v.regex(/^[\x21-\x7e][\x20-\x7e]*$/, "must be one line of ASCII characters"));

const settings = {
  provider: WriteBackProvider,
  from: describe(
    v.optional(v.nullable(Email), null),
    "The e-mail address of a user of PagerDuty, in whose name incidents are changed.",
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
    "The API key, or the routing key of the Events API. It is kept if it is missing and provider and site stay the same.",
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
