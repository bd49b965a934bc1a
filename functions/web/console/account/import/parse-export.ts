import type { ExportedConversation as Transcript } from "../../../../../shared/api/governance/exports.ts";
import type { ImportableConversation, ImportableMessage } from "./importable-conversation.ts";
import { parseArchive, parseTranscript } from "./parse-archive.ts";

type Json = Readonly<Record<string, unknown>>;

const toObject = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const toText = (value: unknown) => (typeof value === "string" ? value : "");

/** Returns a time in ISO 8601 from epoch seconds or a text; an empty string for other values. */
function toTime(value: unknown): string {
  const date = new Date(typeof value === "number" ? value * 1_000 : toText(value));
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

const withTime = (message: ImportableMessage, time: string) => (time ? { ...message, created_at: time } : message);

/**
 * Returns the messages of a conversation of ChatGPT: those on the path from the root to the node that its user saw last.
 * Calls of tools, their results and hidden messages are left out.
 */
function chatGptMessages({ mapping, current_node }: Json): ImportableMessage[] {
  const nodes = toObject(mapping);
  const path: Json[] = [];
  const seen = new Set<string>();
  let id = toText(current_node);
  while (id in nodes && !seen.has(id)) {
    seen.add(id);
    const node = toObject(nodes[id]);
    path.unshift(toObject(node.message));
    id = toText(node.parent);
  }
  return path.flatMap((message) => {
    const role = toObject(message.author).role;
    const content = toObject(message.content);
    const isShown =
      /^(?:text|multimodal_text)$/.test(toText(content.content_type)) &&
      toObject(message.metadata).is_visually_hidden_from_conversation !== true &&
      (message.recipient ?? "all") === "all";
    const parts = Array.isArray(content.parts) ? content.parts : [];
    const text = parts.map(toText).join("\n").trim();
    if ((role !== "user" && role !== "assistant") || !isShown || text === "") return [];
    return [withTime({ role, text }, toTime(message.create_time))];
  });
}

function claudeMessages({ chat_messages }: Json): ImportableMessage[] {
  return (Array.isArray(chat_messages) ? chat_messages.map(toObject) : []).flatMap((message) => {
    const role = message.sender === "human" ? "user" : "assistant";
    const blocks = Array.isArray(message.content) ? message.content.map(toObject) : [];
    const written = blocks.flatMap(({ type, text }) => (type === "text" ? toText(text) : []));
    const text = (written.join("\n\n") || toText(message.text)).trim();
    return text === "" ? [] : [withTime({ role, text }, toTime(message.created_at))];
  });
}

/** Name of a file with conversations in an archive. */
export const exportFileName = /(?:^|\/)(?:conversations[^/]*\.json|archive\.ndjson)$/i;

/** Start of an archive of this service: JSON Lines, the first of which says so. */
const ARCHIVE_START = '{"kind":"archive"';

function toConversations(entry: Json): ImportableConversation[] {
  if (entry.format === "switchboard.conversation") return [parseTranscript(entry as unknown as Transcript)];
  if (!("mapping" in entry || "chat_messages" in entry)) return [];
  return [
    {
      title: toText(entry.title) || toText(entry.name),
      createdAt: toTime(entry.create_time ?? entry.created_at),
      messages: "mapping" in entry ? chatGptMessages(entry) : claudeMessages(entry),
    },
  ];
}

function parseJson(text: string): ImportableConversation[] {
  const parsed: unknown = JSON.parse(text);
  const conversations = (Array.isArray(parsed) ? parsed : [parsed]).map(toObject).flatMap(toConversations);
  if (conversations.length === 0) throw new Error("The file contains no conversations.");
  return conversations;
}

/**
 * Returns the conversations with messages in a file of an export, oldest first.
 * @throws Error if the file is no export
 */
export function parseExport(text: string): ImportableConversation[] {
  const conversations = text.startsWith(ARCHIVE_START) ? parseArchive(text) : parseJson(text);
  return conversations
    .map(({ title, ...conversation }) => ({ ...conversation, title: title.replace(/\s+/g, " ").trim().slice(0, 200) }))
    .filter(({ messages }) => messages.length > 0)
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}
