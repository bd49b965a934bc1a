import * as v from "valibot";
import type { Block } from "../../api/blocks.ts";
import { ExportedConversation } from "../../api/governance/exports.ts";
import type { ExportFormat } from "../../api/governance/policy.ts";
import { markdownOf } from "../../conversations/blocks.ts";
import type { StoredConversation } from "../../conversations/conversation-store.ts";
import type { StoredMessage } from "../../conversations/message-store.ts";

/** A conversation as text, which can be written bit by bit: a beginning, any number of messages, an end. */
export interface Transcript {
  begin(conversation: StoredConversation, exportedAt: string): string;
  /** @param first whether nothing was written of other messages so far */
  messages(messages: readonly StoredMessage[], first: boolean): string;
  end(): string;
}

const { conversation: ConversationShape, messages: MessagesShape } = ExportedConversation.entries;

const json: Transcript = {
  begin(conversation, exported_at) {
    const head = {
      format: ExportedConversation.entries.format.literal,
      version: ExportedConversation.entries.version.literal,
      exported_at,
      conversation: v.parse(ConversationShape, conversation),
    };
    return `${JSON.stringify(head).slice(0, -1)},"messages":[`;
  },
  messages: (messages, first) =>
    v
      .parse(MessagesShape, messages)
      .map((message, index) => `${first && index === 0 ? "\n" : ",\n"}${JSON.stringify(message)}`)
      .join(""),
  end: () => "\n]}\n",
};

const speakers: Readonly<Record<StoredMessage["role"], string>> = {
  user: "User",
  assistant: "Assistant",
  alert: "Alert",
  system: "System",
};

type Citation = Extract<Block, { type: "citation" }>;

const isCitation = (block: Block): block is Citation => block.type === "citation";
const inOneLine = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** A footnote that `[^n]` in the text would lead to, had models that syntax; they write `[n]`. */
function footnote({ index, title, uri, quote }: Citation): string {
  const source = uri === null ? inOneLine(title) : `[${inOneLine(title)}](<${uri}>)`;
  return `[^${index}]: ${source}${quote ? ` “${inOneLine(quote)}”` : ""}`;
}

/** A comment before each message tells programs what people read in its heading, and where the text ends. */
function markdownMessage({ message_id, role, author_id, content, created_at }: StoredMessage): string {
  const text = markdownOf(content);
  const citations = content.filter(isCitation);
  const about = {
    message_id,
    role,
    author_id,
    created_at,
    bytes: Buffer.byteLength(text),
    citations: citations.length,
  };
  const parts = [
    `<!-- message ${JSON.stringify(about)} -->`,
    `## ${speakers[role]}, ${created_at}`,
    text,
    ...(citations.length > 0 ? [citations.map(footnote).join("\n")] : []),
  ];
  return `\n${parts.join("\n\n")}\n`;
}

const markdown: Transcript = {
  begin: ({ title, created_at }, exportedAt) =>
    `# ${inOneLine(title)}\n\nStarted ${created_at}, exported ${exportedAt}\n`,
  messages: (messages) => messages.map(markdownMessage).join(""),
  end: () => "",
};

/** How conversations are written in each format. */
export const transcripts: Readonly<Record<ExportFormat, Transcript>> = { json, markdown };

/** Media type of each format. */
export const mediaTypes: Readonly<Record<ExportFormat | "ndjson", string>> = {
  json: "application/json",
  markdown: "text/markdown; charset=utf-8",
  ndjson: "application/x-ndjson",
};
