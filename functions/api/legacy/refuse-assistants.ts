import { refuseAssistantsRoute } from "#shared/api/platform/legacy.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { gone } from "#shared/lib/errors.ts";

export const handler = endpoint(refuseAssistantsRoute, async () => {
  throw gone(refuseAssistantsRoute.description);
});
