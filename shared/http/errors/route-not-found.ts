import { defineRoute } from "../../api/define-route.ts";
import { noRoute } from "../../lib/errors.ts";
import { endpoint } from "../endpoint.ts";

/** Behind every path no route has. It is no route itself, so it is not on the table. */
export const routeNotFound = endpoint(
  defineRoute({
    id: "routeNotFound",
    group: "open",
    method: "GET",
    path: "/{proxy+}",
    auth: "none",
    idempotency: "none",
    replies: { 404: null },
    summary: "Answer 404 where no route is",
  }),
  async () => {
    throw noRoute();
  },
);
