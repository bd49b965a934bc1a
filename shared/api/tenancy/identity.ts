import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Timestamp } from "../fields.ts";

const route = routeGroup({ group: "identity", auth: "jwt" });

export const getMeRoute = route("GET /v1/me", {
  id: "getMe",
  replies: {
    200: v.object({
      user_id: v.string(),
      tenant_id: v.string(),
      tenant_slug: v.string(),
      roles: v.array(v.string()),
      email: v.nullable(v.string()),
      name: v.nullable(v.string()),
      auth_provider: v.picklist(["jwt", "local", "api_key", "access_token"]),
      token_expires_at: v.nullable(Timestamp),
    }),
  },
  summary: "Get the caller's identity",
});
