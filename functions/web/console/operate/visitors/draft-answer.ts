import type { EmbedMessage } from "../../../../../shared/api/embed/embed-message.ts";
import type { Handover } from "../../../../../shared/api/embed/handovers.ts";
import { blocksToMarkdown } from "../../../../../shared/markdown/blocks-to-markdown.ts";
import { askOnce } from "../../knowledge/ask-once.ts";
import { t } from "../../lib/i18n.ts";

/** Maximum length of the quoted conversation, in UTF-16 code units. A question of a chat has at most 32,000 characters. */
const MAX_QUOTED_LENGTH = 24_000;

const nameOf = ({ role, person }: EmbedMessage) => (person ? "Team" : role === "user" ? "Visitor" : "Assistant");

/** Returns the text of a message without its sources. */
export const toMessageText = (content: EmbedMessage["content"]): string =>
  blocksToMarkdown(content.flatMap((block) => (block.type === "citation" ? [] : [block])));

/** Returns the end of the conversation as text. */
export function quoteMessages(messages: readonly EmbedMessage[]): string {
  const lines = messages.map((message) => `${nameOf(message)}: ${toMessageText(message.content)}`);
  return lines.join("\n\n").slice(-MAX_QUOTED_LENGTH);
}

/**
 * Asks the persona of a session what to answer its visitor, in a temporary conversation of the person, which is deleted afterwards.
 * @param onText called with the draft so far, without references to sources, which visitors do not see
 */
export async function draftAnswer(
  { site, persona_id }: Handover,
  messages: readonly EmbedMessage[],
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const content = `A visitor of the website ${site} waits for an answer of our team. Write the answer that we send, in the language of the visitor, and nothing else. The conversation so far:\n\n${quoteMessages(messages)}`;
  await askOnce({ title: t("Suggest an answer"), persona_id, content }, signal, (text) =>
    onText(text.replace(/ ?\[\d+\]/g, "")),
  );
}
