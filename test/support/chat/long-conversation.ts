import { summarizeConversation } from "#shared/chat/context/summarize.ts";
import { preparePrompt } from "#shared/chat/generation/prepare-prompt.ts";
import { newTurn } from "#shared/chat/new-turn.ts";
import { runPhase } from "#shared/chat/phases/phase.ts";
import { preflight } from "#shared/chat/phases/preflight.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { selectBranch } from "#shared/client/branch.ts";
import { findConversation } from "#shared/conversations/conversation-store.ts";
import { addMessage, deleteMessage, type StoredMessage } from "#shared/conversations/message-store.ts";
import { newId } from "#shared/lib/ids.ts";
import { promptText } from "#shared/models/prompt-text.ts";
import type { RunEvent } from "#shared/runs/events.ts";
import { toAnswerMessage } from "#shared/runs/to-answer-message.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";
import { createConversation, requester } from "#test/support/chat/turns.ts";

/** Question of a turn, and what its prompt contains in addition to the conversation. */
export interface Asked {
  readonly model: string;
  readonly text: string;
  readonly answer?: string;
  /** Texts of sources, of one note and of one file. */
  readonly sources?: readonly string[];
  readonly note?: string;
  readonly file?: string;
  /** Placement on a branch or in a thread. */
  readonly placement?: Partial<Pick<StoredMessage, "after_id" | "replaces_id" | "parent_id">>;
  /** Question that is answered again instead of a new one. */
  readonly again?: StoredMessage;
}

/** Conversation whose turns run in the process of the test, without a model for the answers. */
export class LongConversation {
  /** All stored messages, oldest first. */
  messages: StoredMessage[] = [];
  readonly id: string;

  private constructor(id: string) {
    this.id = id;
  }

  static async start(): Promise<LongConversation> {
    return new LongConversation(await createConversation("QUICK"));
  }

  /** Messages of the branch outside of threads that precede a question, oldest first. */
  branchBefore(question: StoredMessage): StoredMessage[] {
    const earlier = this.messages.filter((message) => message.message_id < question.message_id && !message.parent_id);
    const marked = [...earlier, question];
    return selectBranch(marked).filter((message) => message !== question);
  }

  /** Returns a turn with its prompt, and the events of the preparation. Stores nothing. */
  async prepare(question: StoredMessage, asked: Asked): Promise<{ turn: Turn; events: RunEvent[] }> {
    const conversation = await findConversation(requester, this.id);
    if (!conversation) throw new Error("The conversation is missing");
    const run = {
      ...{ message_id: newId(), conversation_id: this.id, user_message_id: question.message_id, user_id: "asker" },
      ...{
        request_id: "r",
        parent_id: question.parent_id,
        persona_id: null,
        tier: "QUICK" as const,
        model: asked.model,
      },
      ...{ created_at: question.created_at, ...(asked.again && { regenerated: true as const }) },
    };
    const { signal } = new AbortController();
    const turn = newTurn({ principal: requester, conversation, question, run, persona: null, signal });
    await Array.fromAsync(runPhase(preflight, turn));
    const notes = asked.note === undefined ? [] : [{ title: "Note", body: asked.note }];
    const text = asked.file ?? "";
    const file = { id: "f", file_name: "f.txt", kind: "file", isEarlier: true, text, characters: text.length };
    Object.assign(turn, { notes, files: asked.file === undefined ? [] : [file] });
    turn.answer.sources.push(...(asked.sources ?? []).map((source) => ({ title: "Source", text: source }) as never));
    const events = await Array.fromAsync(preparePrompt(turn, []));
    return { turn, events };
  }

  /** Asks a question, stores it with its answer, and summarizes the conversation. */
  async ask(asked: Asked): Promise<{ turn: Turn; events: RunEvent[]; prompt: string }> {
    const question = asked.again ?? { ...newUserMessage(this.id, asked.text), author_id: "asker", ...asked.placement };
    if (!asked.again) await this.#add(question);
    const { turn, events } = await this.prepare(question, asked);
    turn.answer.text = asked.answer ?? "Good.";
    const content = [{ type: "text" as const, text: turn.answer.text }];
    await this.#add(
      toAnswerMessage(turn.run, {
        ...{ content, status: "complete", model: asked.model, usage: null, read_origins: [] },
        ...(turn.answer.summaryUntilId !== null && { summary_until_id: turn.answer.summaryUntilId }),
      }),
    );
    await summarizeConversation(turn);
    return { turn, events, prompt: promptText(turn.answer.prompt) };
  }

  /** Returns the prompt that another question after the last message would get. */
  async promptFor(asked: Asked): Promise<string> {
    const question = { ...newUserMessage(this.id, asked.text), author_id: "asker", ...asked.placement };
    return promptText((await this.prepare(question, asked)).turn.answer.prompt);
  }

  async delete(message: StoredMessage): Promise<void> {
    await deleteMessage(requester, message);
    this.messages = this.messages.filter((other) => other !== message);
  }

  async #add(message: StoredMessage): Promise<void> {
    await addMessage(requester, message);
    this.messages.push(message);
  }
}
