import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, ExternalId, Timestamp } from "../fields.ts";

const route = routeGroup({ group: "identity", auth: "jwt" });

export const getMeRoute = route("GET /v1/me", {
  id: "getMe",
  replies: {
    200: v.object({
      user_id: v.string(),
      external_id: ExternalId,
      tenant_id: v.string(),
      tenant_slug: v.string(),
      roles: v.array(v.string()),
      email: v.nullable(v.string()),
      name: v.nullable(v.string()),
      auth_provider: v.picklist(["jwt", "local", "api_key", "access_token"]),
      token_expires_at: v.nullable(Timestamp),
      acting_keys: describe(
        v.array(v.object({ key_id: v.string(), last_used_at: Timestamp })),
        "The latest API keys that acted on behalf of the caller, each with the time of its latest use, within an hour.",
      ),
    }),
  },
  summary: "Get the caller's identity",
});
