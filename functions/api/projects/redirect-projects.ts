import { listFoldersRoute } from "#shared/api/conversations/folders.ts";
import { redirectProjectsRoute } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { redirect } from "#shared/http/redirect.ts";

// The contract has the headers of the deprecation; `shared/http/redirect.ts` chooses 301 or 308.
export const handler = endpoint(redirectProjectsRoute, async ({ method, query }) =>
  redirect(listFoldersRoute.path, method, query),
);
