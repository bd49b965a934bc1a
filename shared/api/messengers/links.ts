import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Cursor, describe, Id, Limit, pageOf, Timestamp } from "../fields.ts";
import { Messenger } from "./event-ref.ts";

/** Account in a messenger that acts as a user. */
export const MessengerLink = v.object({
  id: v.string(),
  messenger: Messenger,
  workspace_id: Id,
  workspace_name: v.string(),
  account_id: describe(v.string(), "The id of the account in Slack, or its Entra object id in Teams."),
  account_name: v.nullable(v.string()),
  created_at: Timestamp,
});
export type MessengerLink = v.InferOutput<typeof MessengerLink>;

const route = routeGroup({ group: "messengers", auth: "jwt" });

const params = v.object({ messenger: Messenger });

export const createMessengerLinkRoute = route("POST /v1/messengers/{messenger}/links", {
  id: "createMessengerLink",
  params,
  keys: "refused",
  body: v.strictObject({
    workspace_id: Id,
    token: describe(v.pipe(v.string(), v.maxLength(128)), "The token of the link that the app has sent."),
    dry_run: describe(
      v.optional(v.boolean(), false),
      "Returns 200 with the account, for the page on which the user confirms it, and links nothing.",
    ),
  }),
  replies: { 200: v.omit(MessengerLink, ["id", "created_at"]), 201: MessengerLink },
  errors: ["not_found"],
  summary: "Link an account in a messenger with the caller",
  description:
    "The app sends the link to a person who is not linked. The token is valid for 15 minutes and once. From then on, this account asks and decides with the rights of the caller; an earlier link of the account is replaced.",
});

export const listMessengerLinksRoute = route("GET /v1/messengers/{messenger}/links", {
  id: "listMessengerLinks",
  params,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("links", MessengerLink) },
  summary: "List the caller's accounts in a messenger",
});

export const deleteMessengerLinkRoute = route("DELETE /v1/messengers/{messenger}/links/{link}", {
  id: "deleteMessengerLink",
  params: v.object({
    messenger: Messenger,
    link: v.pipe(v.string(), v.regex(/^[0-9a-f-]{36}\.([A-Z0-9]{1,40}|[0-9a-f-]{36})$/)),
  }),
  keys: "refused",
  summary: "Unlink an account of the caller in a messenger",
});
