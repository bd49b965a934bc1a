import { getFeatureFlags } from "#shared/api/open.ts";
import { featureFlags } from "#shared/domain/feature-flags.ts";
import { env } from "#shared/env.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getFeatureFlags, async () => ({
  flags: { ...featureFlags },
  version: env("SERVICE_VERSION").SERVICE_VERSION,
}));
