import { listTeamsLinksRoute } from "#shared/api/teams/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listOwnLinks } from "#shared/messengers/link-store.ts";
import { toTeamsLink } from "#shared/teams/teams-link.ts";

export const handler = endpoint(listTeamsLinksRoute, async ({ principal, query }) => {
  const { entries, next } = await listOwnLinks(principal, "teams", query);
  return pageReply("links", { entries: entries.map(toTeamsLink), next }, query.limit);
});
