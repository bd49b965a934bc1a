import type { SlackLink } from "../api/slack/links.ts";
import type { Link } from "../messengers/link-store.ts";

/** Returns a linked account with the field names of the Slack API of this service. */
export const toSlackLink = ({ account_id, account_name, ...link }: Link): SlackLink => ({
  ...link,
  slack_user_id: account_id,
  slack_user_name: account_name,
});
