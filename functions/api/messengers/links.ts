import { pathOf } from "#shared/api/define-route.ts";
import {
  createMessengerLinkRoute,
  deleteMessengerLinkRoute,
  listMessengerLinksRoute,
} from "#shared/api/messengers/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply, Reply } from "#shared/http/reply.ts";
import { getRequestedAccount, linkDeletion, linkWrites, listOwnLinks } from "#shared/messengers/link-store.ts";
import { getWorkspace, type WorkspacesByMessenger } from "#shared/messengers/workspace-store.ts";
import { slackWorkspaces } from "#shared/slack/workspace-store.ts";
import { teamsWorkspaces } from "#shared/teams/workspace-store.ts";

const workspaces: WorkspacesByMessenger = { slack: slackWorkspaces, teams: teamsWorkspaces };

export const createMessengerLinkHandler = endpoint(
  createMessengerLinkRoute,
  async ({ principal, params: { messenger }, body, commit }) => {
    const { workspace_id, token, dry_run } = body;
    const { name } = await getWorkspace(workspaces[messenger], principal, workspace_id);
    const account = await getRequestedAccount(principal, workspace_id, token);
    const { link, writes } = linkWrites(principal, messenger, account, name, token);
    if (dry_run) {
      const { id: _, created_at: __, ...requested } = link;
      return new Reply(200, requested);
    }
    const location = pathOf(deleteMessengerLinkRoute, { messenger, link: link.id });
    return commit(new Reply(201, link, { location }), ...writes);
  },
);

export const deleteMessengerLinkHandler = endpoint(
  deleteMessengerLinkRoute,
  async ({ principal, params: { messenger, link }, commit }) =>
    commit(undefined, linkDeletion(principal, messenger, link)),
);

export const listMessengerLinksHandler = endpoint(listMessengerLinksRoute, async ({ principal, params, query }) =>
  pageReply("links", await listOwnLinks(principal, params.messenger, query), query.limit),
);
