import { listSlackLinks } from "#shared/api/slack/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { listOwnLinks } from "#shared/slack/link-store.ts";

export const handler = endpoint(listSlackLinks, async ({ principal, query }) => {
  return pageReply("links", await listOwnLinks(principal, query), query.limit);
});
