import { updateMessageRoute } from "#shared/api/conversations/messages.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { authorizeMessageChange } from "#shared/conversations/authorize-message-change.ts";
import { parseBlocks } from "#shared/conversations/markdown-blocks.ts";
import { editMessage } from "#shared/conversations/message-revisions.ts";
import { getMessage } from "#shared/conversations/message-store.ts";
import { withVisibleChecks } from "#shared/conversations/visible-checks.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateMessageRoute, async ({ principal, params, body: { content }, rights }) => {
  const { access } = await authorizeConversation(principal, params.id, "WRITE");
  const message = await getMessage(principal, params.id, params.mid);
  authorizeMessageChange(message, principal.userId, access);
  const blocks = typeof content === "string" ? textBlocks(message.role, content) : content;
  return withVisibleChecks(await editMessage(principal, message, blocks, principal.userId), rights);
});

/** Converts edited text to blocks. Replies are parsed as Markdown; user messages are stored verbatim. */
function textBlocks(role: string, content: string) {
  return role === "assistant" ? parseBlocks(content) : [{ type: "text" as const, text: content }];
}
