import type { Block } from "../api/blocks.ts";
import type { ContextPassage, TestContext } from "../api/evaluations/test-items.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { readHistory } from "../chat/context/read-history.ts";
import { findAttachmentText } from "../conversations/attachments/attachment-files.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { blocksToMarkdown } from "../conversations/markdown-blocks.ts";
import { getMessage, type StoredMessage } from "../conversations/message-store.ts";
import { readPassage } from "../knowledge/read-passage.ts";
import { invalidField, requireFound, ServiceError } from "../lib/errors.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { truncate } from "../lib/truncate.ts";
import type { Frame, Source } from "../runs/events.ts";
import { readRunLog } from "../runs/run-log-store.ts";

/** Maximum lengths of what an item records, in characters. */
const [MAX_HISTORY, MAX_FILES, MAX_PASSAGES] = [20_000, 20_000, 40_000];

const MAX_TOOL_RESULTS = 50;

/** Question of an answer with its context, and the messages that these contain. */
interface RecordedAnswer {
  readonly question: string;
  readonly context: TestContext;
  readonly messageIds: readonly string[];
  /** Tokens of the answer; undefined if no model gave it. */
  readonly answerTokens: number | undefined;
}

/** Returns the first texts that have a length together, and the beginning of the one that exceeds it. */
function fitTogether<Entry extends { readonly text: string }>(
  entries: readonly Entry[],
  maxCharacters: number,
): Entry[] {
  let rest = maxCharacters;
  return entries.flatMap((entry) => {
    const text = truncate(entry.text, rest);
    rest -= text.length;
    return text === "" ? [] : { ...entry, text };
  });
}

const isTurn = ({ role }: StoredMessage) => role === "user" || role === "assistant";

const lengthOf = ({ content }: StoredMessage) => blocksToMarkdown(content).length;

/** Returns the messages before a question that the item has space for, oldest first. */
async function readMessages(principal: UserPrincipal, question: StoredMessage): Promise<StoredMessage[]> {
  let characters = 0;
  const isFull = (message: StoredMessage) => {
    characters += lengthOf(message);
    return characters > MAX_HISTORY;
  };
  const { main, thread } = await readHistory(principal, question, isFull);
  const all = [...main, ...(thread?.root ? [thread.root] : []), ...(thread?.messages ?? [])].filter(isTurn);
  characters = 0;
  return all.slice(all.findLastIndex(isFull) + 1);
}

async function readFiles(principal: UserPrincipal, messages: readonly StoredMessage[]): Promise<TestContext["files"]> {
  const attached = messages.flatMap(({ conversation_id, attachments = [] }) =>
    attachments.map(({ id, file_name }) => ({ conversation_id, id, name: file_name })),
  );
  const files = await mapConcurrent(attached.slice(0, 20), async ({ name, ...ref }) => {
    return { name, text: (await findAttachmentText(principal, ref)) ?? "" };
  });
  return fitTogether(files, MAX_FILES);
}

type Cited = Pick<Source, "title" | "uri" | "collection_id"> & {
  readonly document_id?: string | undefined;
  readonly passage?: number | undefined;
  readonly snippet: string;
};

/** Returns a source with the text of its passage, or what was quoted of it. */
async function toPassage(principal: UserPrincipal, source: Cited): Promise<ContextPassage> {
  const { title, uri, collection_id, document_id, passage, snippet } = source;
  if (!document_id || collection_id === null || passage === undefined) {
    return { title, uri, collection_id: null, document_id: null, text: snippet };
  }
  const ref = { collection_id, id: document_id };
  const text = await readPassage(principal, ref, passage, 0).then(
    (found) => found.text,
    (error) => {
      if (error instanceof ServiceError && error.status < 500) return snippet;
      throw error;
    },
  );
  return { title, uri, collection_id, document_id, text };
}

const toCited = (block: Block): Cited[] => (block.type === "citation" ? [{ ...block, snippet: block.quote }] : []);

/** Returns the passages that the search found, or those that the answer cites if its log has expired. */
async function readPassages(principal: UserPrincipal, answer: StoredMessage, frames: readonly Frame[]) {
  const found = frames.flatMap(({ event }) => (event.type === "search_transparency" ? event.data.sources : []));
  const sources: readonly Cited[] = frames.length > 0 ? found : answer.content.flatMap(toCited);
  const distinct = new Map(sources.map((source) => [`${source.document_id}.${source.passage}.${source.uri}`, source]));
  const passages = await mapConcurrent([...distinct.values()].slice(0, 50), (source) => toPassage(principal, source));
  return fitTogether(passages, MAX_PASSAGES);
}

const toToolResults = (frames: readonly Frame[]): TestContext["tool_results"] =>
  frames
    .flatMap(({ event }) => {
      if (event.type !== "tool_call" || event.data.result === undefined) return [];
      const { name, input, result } = event.data;
      return [{ tool: name, input, result }];
    })
    .slice(0, MAX_TOOL_RESULTS);

/**
 * Returns the question of an answer, and with what it was answered.
 * @throws ServiceError `not_found` if the user may not read the conversation or it has no such message,
 * `validation_failed` if the message is no answer
 */
export async function recordAnswer(
  principal: UserPrincipal,
  ref: { readonly conversation_id: string; readonly message_id: string },
): Promise<RecordedAnswer> {
  const { id } = await authorizeConversation(principal, ref.conversation_id, "READ");
  const answer = await getMessage(principal, id, ref.message_id);
  if (answer.role !== "assistant") throw invalidField("message.message_id", "no_answer", "must be an answer");
  const question = await getMessage(principal, id, requireFound(answer.question_id));
  const [messages, { frames }] = await Promise.all([
    readMessages(principal, question),
    readRunLog(principal, answer.message_id),
  ]);
  const [files, passages] = await Promise.all([
    readFiles(principal, [question, ...messages.toReversed()]),
    readPassages(principal, answer, frames),
  ]);
  return {
    question: blocksToMarkdown(question.content),
    context: {
      messages: messages.map(({ role, content }) => ({
        role: role === "user" ? "user" : "assistant",
        text: blocksToMarkdown(content),
      })),
      files,
      passages,
      tool_results: toToolResults(frames),
    },
    answerTokens: answer.usage?.output_tokens,
    messageIds: [...messages, question, answer].map(({ message_id }) => message_id),
  };
}
