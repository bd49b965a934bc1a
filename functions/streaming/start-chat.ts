import { startChat } from "#shared/api/conversations/chat.ts";
import type { Message } from "#shared/api/conversations/messages.ts";
import { beginTurn } from "#shared/chat/begin-turn.ts";
import { admitTurn, prefersDurable } from "#shared/chat/launch-turn.ts";
import { Reply } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import { eventStream } from "#shared/runs/event-stream.ts";
import { followRun } from "#shared/runs/follow-run.ts";
import { waitForAnswer } from "#shared/runs/run.ts";
import { createRunController } from "#shared/runs/run-controller.ts";

preloadAdapters();

export const handler = streamEndpoint(startChat, async (request) => {
  const { principal, body, headers, requestId } = request;
  const { expiresAt } = principal;
  const isDurable = prefersDurable(headers);
  const wantsJson = headers.accept?.startsWith("application/json") ?? false;
  return request.startOnce<{ message_id: string }, StreamReply | Message | Reply<Message>>(
    async (record) => {
      const controller = createRunController(request.remainingMs);
      const recordStart = (message_id: string) => record({ message_id });
      const context = { requestId, signal: controller.signal, recordStart };
      const run = await admitTurn(() => beginTurn(principal, body, context), controller, { isDurable });
      request.waitUntil(run.finished);
      return wantsJson
        ? waitForAnswer(principal, run.record, run.source)
        : new StreamReply(eventStream({ ...run, expiresAt }));
    },
    async ({ message_id }) => {
      const { run, source } = await followRun(principal, message_id);
      const replayed = { "idempotent-replayed": "true" };
      if (wantsJson) return new Reply(200, await waitForAnswer(principal, run, source), replayed);
      return new StreamReply(eventStream({ messageId: message_id, source, expiresAt }), replayed);
    },
  );
});
