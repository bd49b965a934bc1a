import { listFoldersRoute } from "#shared/api/conversations/folders.ts";
import { redirectProjectsRoute } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { redirect } from "#shared/http/redirect.ts";

export const handler = endpoint(redirectProjectsRoute, async ({ method, query }) =>
  redirect(listFoldersRoute.path, method, query),
);
