import { pathOf } from "#shared/api/define-route.ts";
import { createSlackLinkRoute, deleteSlackLinkRoute, listSlackLinksRoute } from "#shared/api/slack/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { getRequestedAccount, linkDeletion, linkWrites, listOwnLinks } from "#shared/messengers/link-store.ts";
import { getWorkspace } from "#shared/messengers/workspace-store.ts";
import { toSlackLink } from "#shared/slack/slack-link.ts";
import { slackWorkspaces } from "#shared/slack/workspace-store.ts";

export const createSlackLinkHandler = endpoint(createSlackLinkRoute, async ({ principal, body, commit }) => {
  const { workspace_id, token, dry_run } = body;
  const { name } = await getWorkspace(slackWorkspaces, principal, workspace_id);
  const account = await getRequestedAccount(principal, workspace_id, token);
  const { link, writes } = linkWrites(principal, "slack", account, name, token);
  if (dry_run) {
    const { id: _, created_at: __, ...requested } = toSlackLink(link);
    return new Reply(200, requested);
  }
  return commit(
    new Reply(201, toSlackLink(link), { location: pathOf(deleteSlackLinkRoute, { link: link.id }) }),
    ...writes,
  );
});

export const deleteSlackLinkHandler = endpoint(deleteSlackLinkRoute, async ({ principal, params, commit }) =>
  commit(undefined, linkDeletion(principal, params.link)),
);

export const listSlackLinksHandler = endpoint(listSlackLinksRoute, async ({ principal, query }) => {
  const { entries, next } = await listOwnLinks(principal, "slack", query);
  return pageReply("links", { entries: entries.map(toSlackLink), next }, query.limit);
});
