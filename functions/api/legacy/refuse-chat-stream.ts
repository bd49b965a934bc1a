import { refuseChatStreamRoute } from "#shared/api/platform/legacy.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { gone } from "#shared/lib/errors.ts";

export const handler = endpoint(refuseChatStreamRoute, async () => {
  throw gone(refuseChatStreamRoute.description);
});
