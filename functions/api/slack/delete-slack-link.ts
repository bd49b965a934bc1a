import { deleteSlackLinkRoute } from "#shared/api/slack/links.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { linkDeletion } from "#shared/messengers/link-store.ts";

export const handler = endpoint(deleteSlackLinkRoute, async ({ principal, params, commit }) =>
  commit(undefined, linkDeletion(principal, params.link)),
);
