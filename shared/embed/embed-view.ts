import type { Block } from "../api/blocks.ts";
import type { Message } from "../api/conversations/messages.ts";
import type { EmbedBlock, EmbedMessage, EmbedSession } from "../api/embed/embed.ts";
import type { Persona } from "../api/personas/personas.ts";

/** Sources can lie anywhere in an organisation; only what is on the web is of use to a visitor. */
const onTheWeb = (uri: string | null) => (uri !== null && /^https?:\/\//i.test(uri) ? uri : null);

function embedBlock(block: Block): EmbedBlock[] {
  switch (block.type) {
    case "citation":
      return [{ type: block.type, index: block.index, title: block.title, uri: onTheWeb(block.uri) }];
    case "memory_proposal":
    case "knowledge_proposal":
      return [];
    default:
      return [block];
  }
}

/** Blocks as visitors get to see them: without the text of sources, their ids, and what is proposed to people. */
export function embedBlocks(blocks: readonly Block[]): EmbedBlock[] {
  return blocks.flatMap(embedBlock);
}

/** A message as visitors get to see it. */
export function embedMessage({ message_id, role, content, status, created_at }: Message): EmbedMessage {
  const speaker = role === "user" ? role : "assistant";
  return { message_id, role: speaker, content: embedBlocks(content), status, created_at };
}

/** A persona as visitors get to see it; a website without one has an assistant that is nobody in particular. */
export function embedPersona(
  persona: Pick<Persona, "name" | "greeting" | "starter_prompts"> | null,
): EmbedSession["persona"] {
  const { name, greeting, starter_prompts } = persona ?? { name: "Assistant", greeting: "", starter_prompts: [] };
  return { name, greeting, starter_prompts };
}
