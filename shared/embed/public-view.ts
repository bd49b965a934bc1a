import type { Block } from "../api/blocks.ts";
import type { Message } from "../api/conversations/messages.ts";
import type { PublicBlock, PublicMessage } from "../api/conversations/sharing.ts";

function publicBlock(block: Block): PublicBlock[] {
  switch (block.type) {
    case "citation":
      return [{ type: block.type, index: block.index, title: block.title }];
    case "memory_proposal":
    case "knowledge_proposal":
      return [];
    default:
      return [block];
  }
}

/** Messages as the public gets to see them; what has nothing to show is left out, and so is what the system notes. */
export function publicMessages(messages: readonly Pick<Message, "role" | "content" | "created_at">[]): PublicMessage[] {
  return messages.flatMap(({ role, content, created_at }) => {
    const shown = content.flatMap(publicBlock);
    return role === "system" || shown.length === 0 ? [] : [{ role, content: shown, created_at }];
  });
}
