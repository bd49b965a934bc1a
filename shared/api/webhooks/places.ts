import * as v from "valibot";
import { describe, Id } from "../fields.ts";

const slackPlace = {
  workspace_id: Id,
  channel: v.pipe(
    v.string(),
    v.regex(/^[CG][A-Z0-9]{1,40}$/, "must be the id of a channel"),
    v.examples(["C0123456789"]),
  ),
};

/** Channel of Slack to which alerts are posted, in a request. */
export const SlackPlaceInput = v.strictObject(slackPlace);

/** Channel of Slack to which alerts are posted. */
export const SlackPlace = v.object({
  ...slackPlace,
  channel_name: describe(
    v.optional(v.nullable(v.string()), null),
    "The name of the channel when it was set; null if Slack does not tell it.",
  ),
  base_url: v.string(),
});
export type SlackPlace = v.InferOutput<typeof SlackPlace>;

const teamsPlace = {
  workspace_id: Id,
  channel: v.pipe(
    v.string(),
    v.maxLength(200),
    v.regex(/^19:[\w-]+@thread\.(?:tacv2|skype)$/, "must be the id of a channel"),
    v.examples(["19:abc123@thread.tacv2"]),
  ),
};

/** Channel of Teams to which alerts are posted, in a request. */
export const TeamsPlaceInput = v.strictObject(teamsPlace);

/** Channel of Teams to which alerts are posted. */
export const TeamsPlace = v.object({ ...teamsPlace, base_url: v.string() });
