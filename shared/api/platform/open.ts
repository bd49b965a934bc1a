import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { Timestamp } from "../fields.ts";

const Check = v.picklist(["ok", "failed"]);
const Health = v.object({
  status: v.picklist(["ok", "degraded"]),
  checks: v.object({ database: Check, model: Check }),
  version: v.string(),
  time: Timestamp,
});

const route = routeGroup({ group: "open", auth: "none" });

export const getHealthRoute = route("GET /health", {
  id: "getHealth",
  rateLimit: "health",
  replies: { 200: Health, 503: Health },
  summary: "Get the service health",
});

export const getFeatureFlagsRoute = route("GET /v1/config/feature-flags", {
  id: "getFeatureFlags",
  replies: { 200: v.object({ flags: v.record(v.string(), v.boolean()), version: v.string() }) },
  summary: "Get feature flags",
});

export const listConsentActivitiesRoute = route("GET /v1/consent/activities", {
  id: "listConsentActivities",
  replies: {
    200: v.object({
      activities: v.array(
        v.object({
          id: v.string(),
          title: v.string(),
          description: v.string(),
          required: v.boolean(),
          version: v.string(),
        }),
      ),
    }),
  },
  summary: "List consent activities",
  description: "Returns the data processing activities that users are asked to consent to.",
});
