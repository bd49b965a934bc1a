import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, pageOf, Timestamp } from "../fields.ts";

/** Account of Teams that acts as a user. */
export const TeamsLink = v.object({
  id: v.string(),
  workspace_id: Id,
  workspace_name: v.string(),
  teams_user_id: v.string(),
  teams_user_name: v.nullable(v.string()),
  created_at: Timestamp,
});
export type TeamsLink = v.InferOutput<typeof TeamsLink>;

const route = routeGroup({ group: "teams", auth: "jwt" });

export const createTeamsLinkRoute = route("POST /v1/teams/links", {
  id: "createTeamsLink",
  keys: "refused",
  body: v.strictObject({
    workspace_id: Id,
    token: describe(v.pipe(v.string(), v.maxLength(128)), "The token of the link that the app has sent."),
    dry_run: describe(
      v.optional(v.boolean(), false),
      "Returns 200 with the account, for the page on which the user confirms it, and links nothing.",
    ),
  }),
  replies: { 200: v.omit(TeamsLink, ["id", "created_at"]), 201: TeamsLink },
  errors: ["not_found"],
  summary: "Link a Teams account with the caller",
  description:
    "The app sends the link to a person of Teams who is not linked. The token is valid for 15 minutes and once. From then on, this account of Teams asks and decides with the rights of the caller; an earlier link of the account is replaced.",
});

export const listTeamsLinksRoute = route("GET /v1/teams/links", {
  id: "listTeamsLinks",
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("links", TeamsLink) },
  summary: "List the caller's Teams accounts",
});

export const deleteTeamsLinkRoute = route("DELETE /v1/teams/links/{link}", {
  id: "deleteTeamsLink",
  keys: "refused",
  params: v.object({ link: v.pipe(v.string(), v.regex(/^[0-9a-f-]{36}\.[0-9a-f-]{36}$/)) }),
  summary: "Unlink a Teams account of the caller",
});
