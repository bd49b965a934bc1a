import { listFolders } from "#shared/api/conversations/folders.ts";
import { redirectProject } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { redirect } from "#shared/http/redirect.ts";

export const handler = endpoint(redirectProject, async ({ method, params, query }) => {
  const subpath = params.path.split("/").map(encodeURIComponent).join("/");
  return redirect(`${listFolders.path}/${subpath}`, method, query);
});
