import * as v from "valibot";
import { ConversationTitle } from "../api/conversations/conversations.ts";
import { setGeneratedTitle } from "../conversations/conversation-store.ts";
import { truncate } from "../lib/truncate.ts";
import { askAboutTurn } from "./ask-about-turn.ts";
import type { Turn } from "./turn.ts";

/** Maximum length of a title in UTF-16 code units. */
const MAX_LENGTH = 60;

const task = {
  name: "name_conversation",
  instructions:
    "You write the title of a conversation. Answer with the title only: 2 to 6 words in the language of the question, without quotation marks and without a period at the end.",
  maxOutputTokens: 40,
};

/** Returns true in the first turn of a conversation that has no title yet. */
const needsTitle = ({ conversation, question }: Turn) =>
  conversation.title_origin === "none" && conversation.message_count === 0 && question.parent_id === null;

/**
 * Returns the first line of a text without quotation marks, shortened to `MAX_LENGTH`, or undefined if that is not a
 * valid title.
 */
function toTitle(text: string): string | undefined {
  const line =
    text
      .trim()
      .split("\n", 1)[0]
      ?.replace(/^["'“„«]{1,3}|["'”“»]{1,3}$|\.$/gu, "") ?? "";
  const words = line.length <= MAX_LENGTH ? line : `${truncate(line, MAX_LENGTH).replace(/\s+\S*$/, "")}…`;
  const title = v.safeParse(ConversationTitle, words);
  return title.success ? title.output : undefined;
}

/**
 * Sets the title of a new conversation to the beginning of its first question.
 * @param questionText question with redactions applied
 */
export async function nameByQuestion(turn: Turn, questionText: string): Promise<void> {
  if (!needsTitle(turn)) return;
  const title = toTitle(questionText);
  if (title) await setGeneratedTitle(turn.principal, turn.conversation.id, title);
}

/**
 * Replaces the title of a new conversation by one that a model writes from the first question and answer. If
 * `askAboutTurn` returns nothing, the title from `nameByQuestion` stays.
 */
export async function nameByModel(turn: Turn): Promise<void> {
  if (!needsTitle(turn)) return;
  const title = toTitle((await askAboutTurn(turn, task)) ?? "");
  if (title) await setGeneratedTitle(turn.principal, turn.conversation.id, title);
}
