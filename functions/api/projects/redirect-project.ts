import { redirectProject } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { movedTo } from "#shared/http/moved-to.ts";

export const handler = endpoint(redirectProject, async ({ method, params, query }) => {
  const below = params.path.split("/").map(encodeURIComponent).join("/");
  return movedTo(`/v1/folders/${below}`, method, query);
});
