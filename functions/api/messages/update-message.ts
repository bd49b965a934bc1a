import { updateMessage } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { blocksOf } from "#shared/conversations/blocks.ts";
import { checkChangeable } from "#shared/conversations/message-rules.ts";
import * as messages from "#shared/conversations/message-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateMessage, async ({ principal, params, body: { content } }) => {
  const { access } = await authorizeConversation(principal, params.id, "WRITE");
  const message = await messages.getMessage(principal, params.id, params.mid);
  checkChangeable(message, principal.userId, access);
  const blocks = typeof content === "string" ? textBlocks(message.role, content) : content;
  return messages.editMessage(principal, message, blocks, principal.userId);
});

/** Converts edited text to blocks. Replies are parsed as Markdown; user messages are stored verbatim. */
function textBlocks(role: string, content: string) {
  return role === "assistant" ? blocksOf(content) : [{ type: "text" as const, text: content }];
}
