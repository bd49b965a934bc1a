import { stopChat } from "#shared/api/chat.ts";
import { runFor } from "#shared/chat/follow-run.ts";
import { stopRun } from "#shared/chat/stop-run.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(stopChat, async ({ principal, params: { message_id }, commit }) =>
  stopRun(principal, await runFor(principal, message_id, "WRITE"), commit),
);
