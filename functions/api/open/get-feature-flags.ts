import { getFeatureFlagsRoute } from "#shared/api/platform/open.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { env } from "#shared/lib/env.ts";
import { featureFlags } from "#shared/tenancy/feature-flags.ts";

export const handler = endpoint(getFeatureFlagsRoute, async () => ({
  flags: { ...featureFlags },
  version: env("SERVICE_VERSION").SERVICE_VERSION,
}));
