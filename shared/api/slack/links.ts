import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, pageOf, Timestamp } from "../fields.ts";

/** Account of Slack that acts as a user. */
export const SlackLink = v.object({
  id: v.string(),
  workspace_id: Id,
  workspace_name: v.string(),
  slack_user_id: v.string(),
  slack_user_name: v.nullable(v.string()),
  created_at: Timestamp,
});
export type SlackLink = v.InferOutput<typeof SlackLink>;

const route = routeGroup({ group: "slack", auth: "jwt" });

export const createSlackLinkRoute = route("POST /v1/slack/links", {
  id: "createSlackLink",
  keys: "refused",
  body: v.strictObject({
    workspace_id: Id,
    token: describe(v.pipe(v.string(), v.maxLength(128)), "The token of the link that the app has sent."),
    dry_run: describe(
      v.optional(v.boolean(), false),
      "Returns 200 with the account, for the page on which the user confirms it, and links nothing.",
    ),
  }),
  replies: { 200: v.omit(SlackLink, ["id", "created_at"]), 201: SlackLink },
  errors: ["not_found"],
  summary: "Link a Slack account with the caller",
  description:
    "The app sends the link to a person of Slack who is not linked. The token is valid for 15 minutes and once. From then on, this account of Slack asks and decides with the rights of the caller; an earlier link of the account is replaced.",
});

export const listSlackLinksRoute = route("GET /v1/slack/links", {
  id: "listSlackLinks",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("links", SlackLink) },
  summary: "List the caller's Slack accounts",
});

export const deleteSlackLinkRoute = route("DELETE /v1/slack/links/{link}", {
  id: "deleteSlackLink",
  keys: "refused",
  params: v.object({ link: v.pipe(v.string(), v.regex(/^[0-9a-f-]{36}\.[A-Z0-9]{1,40}$/)) }),
  summary: "Unlink a Slack account of the caller",
});
