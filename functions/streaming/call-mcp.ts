import { callMcpRoute } from "#shared/api/tools/mcp.ts";
import { askPersona } from "#shared/chat/tools/ask-persona.ts";
import { reportedWork } from "#shared/chat/tools/merge-events.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { Reply, type ReplyBody } from "#shared/http/reply.ts";
import { StreamReply, streamEndpoint } from "#shared/http/stream-endpoint.ts";
import { handleMcpMessage, isLongRequest } from "#shared/mcp/handle-mcp-message.ts";
import { mcpFormat } from "#shared/mcp/mcp-format.ts";
import { requireRevision } from "#shared/mcp/revision.ts";
import { preloadAdapters } from "#shared/models/model.ts";
import type { Tenant } from "#shared/tenancy/tenant-store.ts";

preloadAdapters();

/** Interval of the comments in a stream that keep its connection open. */
const HEARTBEAT_INTERVAL_MS = 10_000;

export const handler = streamEndpoint(
  callMcpRoute,
  async ({ principal, body, headers, ...request }) => {
    const { requestId, remainingMs, waitUntil } = request;
    const tool = askPersona({ requestId, tenant: request.tenant as Tenant, remainingMs, waitUntil });
    const isStateless = requireRevision(headers, body);
    const answer = (notify: (notification: object) => void) =>
      handleMcpMessage(principal, body, { tools: [tool], isStateless, notify });
    const isStreamed = negotiateMediaType(headers, ["application/json", "text/event-stream"]) === "text/event-stream";
    const acceptsStream = isStreamed || (headers.accept ?? "").includes("text/event-stream");
    if (!isLongRequest(body) || !acceptsStream) {
      const response = await answer(() => {});
      return new Reply(response ? 200 : 202, response as ReplyBody<typeof callMcpRoute>);
    }
    async function* events(): AsyncGenerator<string, void> {
      const response = yield* reportedWork<string, unknown>(async (report) => {
        const timer = setInterval(() => report(": waiting\n\n"), HEARTBEAT_INTERVAL_MS);
        const notify = (notification: object) => report(`data: ${JSON.stringify(notification)}\n\n`);
        return answer(notify).finally(() => clearInterval(timer));
      });
      yield `data: ${JSON.stringify(response)}\n\n`;
    }
    return new StreamReply(events());
  },
  mcpFormat,
);
