import { deleteSlackWorkspace } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { workspaceDeletion } from "#shared/slack/workspace-store.ts";

export const handler = endpoint(deleteSlackWorkspace, async ({ principal, params, commit }) =>
  commit(undefined, ...workspaceDeletion(principal, params.id)),
);
