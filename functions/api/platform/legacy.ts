import {
  refuseAssistantRoute,
  refuseAssistantsRoute,
  refuseChatStreamRoute,
  refuseCompletionsRoute,
} from "#shared/api/platform/legacy.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { gone } from "#shared/lib/errors.ts";

export const refuseAssistantHandler = endpoint(refuseAssistantRoute, async () => {
  throw gone(refuseAssistantRoute.description);
});

export const refuseAssistantsHandler = endpoint(refuseAssistantsRoute, async () => {
  throw gone(refuseAssistantsRoute.description);
});

export const refuseChatStreamHandler = endpoint(refuseChatStreamRoute, async () => {
  throw gone(refuseChatStreamRoute.description);
});

export const refuseCompletionsHandler = endpoint(refuseCompletionsRoute, async () => {
  throw gone(refuseCompletionsRoute.description);
});
