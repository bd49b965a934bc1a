import type { TeamsLink } from "../api/teams/links.ts";
import type { Link } from "../messengers/link-store.ts";

/** Returns a linked account with the field names of the Teams API of this service. */
export const toTeamsLink = ({ account_id, account_name, ...link }: Link): TeamsLink => ({
  ...link,
  teams_user_id: account_id,
  teams_user_name: account_name,
});
