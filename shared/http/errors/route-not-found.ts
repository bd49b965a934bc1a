import { defineRoute } from "../../api/define-route.ts";
import { noRoute } from "../../lib/errors.ts";
import { endpoint } from "../endpoint.ts";

/** Endpoint for all paths without a route. It is not part of the API, so it is not in the route table. */
export const routeNotFound = endpoint(
  defineRoute({
    id: "routeNotFound",
    group: "open",
    method: "GET",
    path: "/{proxy+}",
    auth: "none",
    idempotency: "none",
    replies: { 404: null },
    summary: "Return 404 for unknown paths",
  }),
  async () => {
    throw noRoute();
  },
);
