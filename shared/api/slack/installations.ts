import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, lineOf, Timestamp } from "../fields.ts";
import { SlackWorkspace } from "./workspaces.ts";

const route = routeGroup({
  group: "slack",
  auth: "jwt",
  capability: "webhook.manage",
  keys: "refused",
});

const Parameter = v.pipe(v.string(), v.minLength(1), v.maxLength(2_000));

export const createSlackInstallationRoute = route("POST /v1/slack/installations", {
  id: "createSlackInstallation",
  body: v.strictObject({
    name: describe(v.optional(v.nullable(lineOf(80)), null), "The name here; by default that of the team."),
  }),
  replies: { 201: v.object({ url: v.string(), expires_at: Timestamp }) },
  errors: ["conflict"],
  summary: "Start the installation of the Slack app",
  description:
    "Returns the address at which an administrator installs the app of the deployment in a workspace of Slack (OAuth). Slack sends the person back to the console. The installation is valid for 15 minutes and once. Returns 409 if the deployment has no app.",
});

export const completeSlackInstallationRoute = route("PUT /v1/slack/installations", {
  id: "completeSlackInstallation",
  body: v.strictObject({ state: Parameter, code: v.optional(Parameter), error: v.optional(Parameter) }),
  replies: { 200: SlackWorkspace },
  errors: ["conflict"],
  summary: "Complete the installation of the Slack app",
  description:
    "Takes the parameters with which Slack sent the person back. Only the user who has started the installation can complete it. A workspace of this tenant is connected again; one of another tenant is refused with 409.",
});
