import { stopChatRoute } from "#shared/api/conversations/chat.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeRun } from "#shared/runs/follow-run.ts";
import { stopRun } from "#shared/runs/stop-run.ts";

export const stopChatHandler = endpoint(stopChatRoute, async ({ principal, params: { message_id }, commit }) =>
  stopRun(principal, await authorizeRun(principal, message_id), commit),
);
