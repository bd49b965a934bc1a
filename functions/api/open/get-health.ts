import { getHealthRoute } from "#shared/api/platform/open.ts";
import { isDatabaseReachable } from "#shared/dynamodb/database-health.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { env } from "#shared/lib/env.ts";
import { isModelReachable } from "#shared/models/model-health.ts";

export const handler = endpoint(getHealthRoute, async () => {
  const [database, model] = await Promise.all([isDatabaseReachable(), isModelReachable()]);
  return new Reply(database && model ? 200 : 503, {
    status: database && model ? "ok" : "degraded",
    checks: { database: database ? "ok" : "failed", model: model ? "ok" : "failed" },
    version: env("SERVICE_VERSION").SERVICE_VERSION,
    time: timestamp(),
  });
});
