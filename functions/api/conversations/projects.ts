import { listFoldersRoute } from "#shared/api/conversations/folders.ts";
import { redirectProjectRoute, redirectProjectsRoute } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { redirect } from "#shared/http/redirect.ts";

export const redirectProjectHandler = endpoint(redirectProjectRoute, async ({ method, params, query }) => {
  const subpath = params.path.split("/").map(encodeURIComponent).join("/");
  return redirect(`${listFoldersRoute.path}/${subpath}`, method, query);
});

// The contract has the headers of the deprecation; `shared/http/redirect.ts` chooses 301 or 308.
export const redirectProjectsHandler = endpoint(redirectProjectsRoute, async ({ method, query }) =>
  redirect(listFoldersRoute.path, method, query),
);
