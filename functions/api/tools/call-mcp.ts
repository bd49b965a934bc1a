import { callMcp } from "#shared/api/tools/mcp.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply, type ReplyBody } from "#shared/http/reply.ts";
import { answerMessage } from "#shared/mcp/answer-message.ts";

export const handler = endpoint(callMcp, async ({ principal, body }) => {
  const response = await answerMessage(principal, body);
  return new Reply(response ? 200 : 202, response as ReplyBody<typeof callMcp>);
});
