import type { TranscriptFormat } from "../../api/governance/policy.ts";
import type { StoredConversation } from "../../conversations/conversation-store.ts";
import { findVisibleSummary, listBranchUntil } from "../../conversations/list-branch.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { hideSources } from "../../knowledge/readers/hide-sources.ts";
import { transcriptRenderers } from "./transcript-renderers.ts";

/** Part of a transcript. `next` is the position of the next part; null at the end. */
export interface TextPart {
  readonly text: string;
  readonly next: string | null;
}

/**
 * Renders a part of a transcript of the conversation's current branch.
 * @param at time of the export in ISO 8601; later messages are left out
 * @param cursor `next` of the previous part
 */
export async function renderTranscriptPart(
  reader: UserScope,
  conversation: StoredConversation,
  format: TranscriptFormat,
  at: string,
  cursor?: string,
): Promise<TextPart> {
  const renderer = transcriptRenderers[format];
  const isFirstPart = cursor === undefined;
  const [{ entries, next }, summary] = await Promise.all([
    listBranchUntil(reader, conversation, at, cursor),
    isFirstPart ? findVisibleSummary(reader, conversation, at) : null,
  ]);
  const parts = [
    isFirstPart ? renderer.renderHeader(conversation, at, summary) : "",
    renderer.renderMessages(await hideSources(reader, entries), isFirstPart),
    next === null ? renderer.renderFooter() : "",
  ];
  return { text: parts.join(""), next };
}

/**
 * Maximum length of a transcript in one response, in UTF-16 code units. It fits the payload limit of API Gateway in any
 * script.
 */
const MAX_TRANSCRIPT_LENGTH = 1_500_000;

/**
 * Renders the complete transcript of a conversation; null if it exceeds `MAX_TRANSCRIPT_LENGTH`.
 * @param at time of the export in ISO 8601; later messages are left out
 */
export async function renderTranscript(
  reader: UserScope,
  conversation: StoredConversation,
  format: TranscriptFormat,
  at: string,
): Promise<string | null> {
  let text = "";
  for (let cursor: string | undefined; ; ) {
    const part = await renderTranscriptPart(reader, conversation, format, at, cursor);
    text += part.text;
    if (text.length > MAX_TRANSCRIPT_LENGTH) return null;
    if (part.next === null) return text;
    cursor = part.next;
  }
}
