import { getHealth } from "#shared/api/open.ts";
import { modelIsReachable } from "#shared/chat/models/health.ts";
import { timestamp } from "#shared/clock.ts";
import { databaseIsReachable } from "#shared/data/health.ts";
import { env } from "#shared/env.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";

export const handler = endpoint(getHealth, async () => {
  const [database, model] = await Promise.all([databaseIsReachable(), modelIsReachable()]);
  return new Reply(database && model ? 200 : 503, {
    status: database && model ? "ok" : "degraded",
    checks: { database: database ? "ok" : "failed", model: model ? "ok" : "failed" },
    version: env("SERVICE_VERSION").SERVICE_VERSION,
    time: timestamp(),
  });
});
