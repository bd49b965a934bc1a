import type { Block } from "../api/blocks.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { blocksToMarkdown } from "../markdown/blocks-to-markdown.ts";
import { isTerminal } from "../runs/events.ts";
import type { FrameSource } from "../runs/frame-feed.ts";
import type { MessengerClient } from "./client.ts";
import { claimEnd, completeEvent, type MessengerMessage, recordReply } from "./event-store.ts";
import { ThreadAnswer } from "./thread-answer.ts";

/** Maximum time to wait for the next event of a run, in milliseconds. */
const MAX_WAIT_MS = 5_000;

const isCitation = (block: Block): block is Extract<Block, { type: "citation" }> => block.type === "citation";

/** Renders the list of an answer's sources. Only http(s) URLs become links. */
function renderSources(content: readonly Block[]): string {
  const lines = content.filter(isCitation).map(({ index, title, uri }) => {
    const name = title.replaceAll(/[[\]\s]+/g, " ").trim();
    return `[${index}] ${uri !== null && /^https?:\/\/[^\s()<>]+$/.test(uri) ? `[${name}](${uri})` : name}`;
  });
  return lines.length === 0 ? "" : `\n\n**Sources**\n${lines.join("\n")}`;
}

const notes: Partial<Record<StoredMessage["status"] | "length", string>> = {
  interrupted: "_The answer was interrupted._",
  failed: "_The answer failed. Ask again._",
  length: "_The answer reached its maximum length._",
};

/**
 * Renders a stored answer as Markdown. `appendix` contains the sources, the reason for an incomplete answer, and notes
 * on files.
 */
export function renderAnswer(
  { content, status, finish_reason, error }: Pick<StoredMessage, "content" | "status" | "finish_reason" | "error">,
  fileNotes: readonly string[] = [],
) {
  const text = blocksToMarkdown(content);
  const note = error ? `_${error.message}_` : notes[finish_reason ?? status];
  const ends = [...(note ? [note] : []), ...fileNotes];
  const end = ends.length === 0 ? "" : `${text === "" ? "" : "\n\n"}${ends.join("\n\n")}`;
  return { text, appendix: renderSources(content) + end };
}

const newAnswer = (scope: TenantScope, { answerTransport }: MessengerClient, message: MessengerMessage) =>
  new ThreadAnswer(answerTransport(message), message.reply, (reply) => recordReply(scope, message, reply));

/** Posts the end of a stored answer. Of several concurrent functions, one does so. */
async function postEnd(scope: TenantScope, message: MessengerMessage, answer: ThreadAnswer): Promise<void> {
  const { conversation_id = "", message_id = "", base_url } = message;
  const stored = await findMessage(scope, conversation_id, message_id);
  if (!stored || !(await claimEnd(scope, message))) return;
  const { text, appendix } = renderAnswer(stored, message.file_notes);
  await answer.finish(text, appendix, `[Read the whole answer](${base_url}/console/chat/${conversation_id})`);
  await completeEvent(scope, message);
}

/**
 * Posts an answer to its thread while it is generated, until the run ends or pauses for an approval. The rest of a run
 * that resumes is posted by `finishAnswer`.
 */
export async function streamAnswer(
  scope: TenantScope,
  client: MessengerClient,
  message: MessengerMessage,
  source: FrameSource,
): Promise<void> {
  const answer = newAnswer(scope, client, message);
  for (let seq = 0; ; ) {
    const frames = await source.next(seq, Math.min(MAX_WAIT_MS, answer.msUntilFlush ?? MAX_WAIT_MS));
    for (const { event, seq: position } of frames ?? []) {
      seq = position;
      if (event.type === "assistant_message" && !event.data.final) answer.add(event.data.content);
      if (event.type === "preflight_warning" && event.data.approval_id !== undefined) return answer.interrupt();
      if (isTerminal(event)) return postEnd(scope, message, answer);
    }
    if (frames === null) return postEnd(scope, message, answer);
    await answer.flush();
  }
}

/**
 * Posts the end of an answer if the function that streamed it has died, or if the run was resumed by another function.
 */
export const finishAnswer = (scope: TenantScope, client: MessengerClient, message: MessengerMessage) =>
  postEnd(scope, message, newAnswer(scope, client, message));
