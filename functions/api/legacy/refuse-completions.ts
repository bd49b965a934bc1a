import { refuseCompletions } from "#shared/api/legacy.ts";
import { gone } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(refuseCompletions, async () => {
  throw gone(refuseCompletions.description);
});
