import { redirectProjects } from "#shared/api/conversations/projects.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { movedTo } from "#shared/http/moved-to.ts";

export const handler = endpoint(redirectProjects, async ({ method, query }) => movedTo("/v1/folders", method, query));
