import * as v from "valibot";
import type { Block } from "../../api/blocks.ts";
import { ConversationSummary } from "../../api/conversation-summary.ts";
import { ExportedConversation } from "../../api/governance/exports.ts";
import type { TranscriptFormat } from "../../api/governance/policy.ts";
import type { StoredConversation } from "../../conversations/conversation-store.ts";
import { blocksToMarkdown } from "../../conversations/markdown-blocks.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";
import type { StoredSummary } from "../../conversations/summary-store.ts";

/** Renders the transcript of a conversation in one format, part by part. */
interface TranscriptRenderer {
  /** @param summary summary of the beginning of the rendered branch; null if it has none */
  renderHeader(conversation: StoredConversation, exportedAt: string, summary: StoredSummary | null): string;
  /** @param isFirst true if these are the first messages of the transcript */
  renderMessages(messages: readonly StoredMessage[], isFirst: boolean): string;
  renderFooter(): string;
}

const { conversation: ConversationData, messages: MessagesData } = ExportedConversation.entries;

const json: TranscriptRenderer = {
  renderHeader(conversation, exported_at, summary) {
    const header = {
      format: ExportedConversation.entries.format.literal,
      version: ExportedConversation.entries.version.literal,
      exported_at,
      conversation: v.parse(ConversationData, conversation),
      ...(summary && { summary: v.parse(ConversationSummary, summary) }),
    };
    return `${JSON.stringify(header).slice(0, -1)},"messages":[`;
  },
  renderMessages: (messages, isFirst) =>
    v
      .parse(MessagesData, messages)
      .map((message, index) => `${isFirst && index === 0 ? "\n" : ",\n"}${JSON.stringify(message)}`)
      .join(""),
  renderFooter: () => "\n]}\n",
};

const roleNames: Readonly<Record<StoredMessage["role"], string>> = {
  user: "User",
  assistant: "Assistant",
  alert: "Alert",
  system: "System",
};

type Citation = Extract<Block, { type: "citation" }>;

const isCitation = (block: Block): block is Citation => block.type === "citation";
const toSingleLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** Renders a citation as a Markdown footnote. The text of answers refers to it as `[n]`, not as `[^n]`. */
function renderFootnote({ index, title, uri, quote, quotes }: Citation): string {
  const source = uri === null ? toSingleLine(title) : `[${toSingleLine(title)}](<${uri}>)`;
  const texts = (quotes?.map((each) => each.quote) ?? [quote]).filter(Boolean);
  return [`[^${index}]: ${source}`, ...texts.map((text) => `“${toSingleLine(text)}”`)].join(" ");
}

/** Renders the name of a file or document as code, so that it cannot contain markup. */
const renderName = (name: string) => `\`${toSingleLine(name).replaceAll("`", "'")}\``;

/**
 * Renders a message as Markdown. A comment before it contains its metadata and length in bytes, for programs that parse
 * the transcript.
 */
function renderMarkdownMessage({
  message_id,
  role,
  author_id,
  model,
  persona_version,
  digital_source_type,
  content,
  attachments,
  documents,
  error,
  created_at,
}: StoredMessage): string {
  const text = blocksToMarkdown(content);
  const citations = content.filter(isCitation);
  const metadata = {
    message_id,
    role,
    author_id,
    ...(digital_source_type && { digital_source_type, model, persona_version }),
    created_at,
    bytes: Buffer.byteLength(text),
    citations: citations.length,
  };
  const parts = [
    `<!-- message ${JSON.stringify(metadata)} -->`,
    `## ${roleNames[role]}, ${created_at}`,
    text,
    ...(attachments ? [`Files: ${attachments.map(({ file_name }) => renderName(file_name)).join(", ")}`] : []),
    ...(documents ? [`Documents: ${documents.map(({ title }) => renderName(title)).join(", ")}`] : []),
    ...(citations.length > 0 ? [citations.map(renderFootnote).join("\n")] : []),
    ...(error ? [`*This answer failed: ${toSingleLine(error.message)}*`] : []),
  ];
  return `\n${parts.join("\n\n")}\n`;
}

const markdown: TranscriptRenderer = {
  renderHeader: ({ title, created_at }, exportedAt) =>
    `# ${toSingleLine(title)}\n\nStarted ${created_at}, exported ${exportedAt}\n`,
  renderMessages: (messages) => messages.map(renderMarkdownMessage).join(""),
  renderFooter: () => "",
};

export const transcriptRenderers: Readonly<Record<TranscriptFormat, TranscriptRenderer>> = { json, markdown };

export const transcriptMediaTypes: Readonly<Record<TranscriptFormat | "ndjson", string>> = {
  json: "application/json",
  markdown: "text/markdown; charset=utf-8",
  ndjson: "application/x-ndjson",
};
