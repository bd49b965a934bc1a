import { listFolders } from "#shared/api/conversations/folders.ts";
import { redirectProjects } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { redirect } from "#shared/http/redirect.ts";

export const handler = endpoint(redirectProjects, async ({ method, query }) =>
  redirect(listFolders.path, method, query),
);
