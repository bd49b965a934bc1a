import { listSlackLinksRoute } from "#shared/api/slack/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listOwnLinks } from "#shared/messengers/link-store.ts";
import { toSlackLink } from "#shared/slack/slack-link.ts";

export const handler = endpoint(listSlackLinksRoute, async ({ principal, query }) => {
  const { entries, next } = await listOwnLinks(principal, "slack", query);
  return pageReply("links", { entries: entries.map(toSlackLink), next }, query.limit);
});
