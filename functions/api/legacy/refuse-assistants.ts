import { refuseAssistants } from "#shared/api/legacy.ts";
import { gone } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(refuseAssistants, async () => {
  throw gone(refuseAssistants.description);
});
