import { refuseCompletionsRoute } from "#shared/api/platform/legacy.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { gone } from "#shared/lib/errors.ts";

export const handler = endpoint(refuseCompletionsRoute, async () => {
  throw gone(refuseCompletionsRoute.description);
});
