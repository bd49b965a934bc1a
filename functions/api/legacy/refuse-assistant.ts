import { refuseAssistant } from "#shared/api/legacy.ts";
import { gone } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(refuseAssistant, async () => {
  throw gone(refuseAssistant.description);
});
