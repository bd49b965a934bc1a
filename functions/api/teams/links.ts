import { pathOf } from "#shared/api/define-route.ts";
import { createTeamsLinkRoute, deleteTeamsLinkRoute, listTeamsLinksRoute } from "#shared/api/teams/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { getRequestedAccount, linkDeletion, linkWrites, listOwnLinks } from "#shared/messengers/link-store.ts";
import { getWorkspace } from "#shared/messengers/workspace-store.ts";
import { toTeamsLink } from "#shared/teams/teams-link.ts";
import { teamsWorkspaces } from "#shared/teams/workspace-store.ts";

export const createTeamsLinkHandler = endpoint(createTeamsLinkRoute, async ({ principal, body, commit }) => {
  const { workspace_id, token, dry_run } = body;
  const { name } = await getWorkspace(teamsWorkspaces, principal, workspace_id);
  const account = await getRequestedAccount(principal, workspace_id, token);
  const { link, writes } = linkWrites(principal, "teams", account, name, token);
  if (dry_run) {
    const { id: _, created_at: __, ...requested } = toTeamsLink(link);
    return new Reply(200, requested);
  }
  return commit(
    new Reply(201, toTeamsLink(link), { location: pathOf(deleteTeamsLinkRoute, { link: link.id }) }),
    ...writes,
  );
});

export const deleteTeamsLinkHandler = endpoint(deleteTeamsLinkRoute, async ({ principal, params, commit }) =>
  commit(undefined, linkDeletion(principal, params.link)),
);

export const listTeamsLinksHandler = endpoint(listTeamsLinksRoute, async ({ principal, query }) => {
  const { entries, next } = await listOwnLinks(principal, "teams", query);
  return pageReply("links", { entries: entries.map(toTeamsLink), next }, query.limit);
});
