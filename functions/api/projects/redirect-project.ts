import { listFoldersRoute } from "#shared/api/conversations/folders.ts";
import { redirectProjectRoute } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { redirect } from "#shared/http/redirect.ts";

export const handler = endpoint(redirectProjectRoute, async ({ method, params, query }) => {
  const subpath = params.path.split("/").map(encodeURIComponent).join("/");
  return redirect(`${listFoldersRoute.path}/${subpath}`, method, query);
});
