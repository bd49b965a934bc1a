import type { ExportedConversation as Transcript } from "../../../../../shared/api/governance/exports.ts";
import { cutText } from "../../../../../shared/client/cut-text.ts";
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

/** Returns the id of the node with the latest message, for exports that do not name the node that the user saw last. */
function latestNode(nodes: ReadonlyMap<string, Json>): string {
  const timeOf = (node: Json) => Number(toObject(node.message).create_time ?? 0);
  const [id = ""] = [...nodes].reduce<readonly [string?, Json?]>(
    (latest, entry) => (timeOf(entry[1]) >= timeOf(latest[1] ?? {}) ? entry : latest),
    [],
  );
  return id;
}

/** Returns the text of a part: written text, or the transcript of speech. Images and files have none. */
const partText = (part: unknown) => toText(typeof part === "string" ? part : toObject(part).text);

/**
 * Replaces the marks of citations, which are private-use characters around ids, with the links that the export has for them.
 * Others are removed.
 */
function resolveCitations(text: string, { content_references }: Json): string {
  const references = (Array.isArray(content_references) ? content_references : []).map(toObject);
  const links = new Map(references.map(({ matched_text, alt }) => [toText(matched_text), toText(alt)]));
  return text.replace(/[ \t]?(\ue200[^\ue200\ue201]*\ue201)/g, (mark, id: string) => {
    const link = links.get(id);
    return link ? mark.replace(id, () => link) : "";
  });
}

/**
 * Returns the messages of a conversation of ChatGPT: those on the path from the root to the node that its user saw last.
 * Calls of tools, their results and hidden messages are left out.
 */
function chatGptMessages({ mapping, current_node }: Json): ImportableMessage[] {
  const nodes = new Map(Object.entries(toObject(mapping)).map(([id, node]) => [id, toObject(node)]));
  const path: Json[] = [];
  const seen = new Set<string>();
  let id = toText(current_node);
  if (!nodes.has(id)) id = latestNode(nodes);
  for (let node = nodes.get(id); node && !seen.has(id); node = nodes.get(id)) {
    seen.add(id);
    path.unshift(toObject(node.message));
    id = toText(node.parent);
  }
  return path.flatMap((message) => {
    const role = toObject(message.author).role;
    const content = toObject(message.content);
    const metadata = toObject(message.metadata);
    const isShown =
      /^(?:text|multimodal_text)$/.test(toText(content.content_type)) &&
      metadata.is_visually_hidden_from_conversation !== true &&
      (message.recipient ?? "all") === "all";
    const parts = Array.isArray(content.parts) ? content.parts : [];
    const text = resolveCitations(parts.map(partText).join("\n"), metadata).trim();
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

/** Returns a title of at most 200 characters in one line. */
const toTitle = (title: string) => cutText(title.replace(/\s+/g, " ").trim(), 200).trim();

/**
 * Returns the conversations with messages in a file of an export, oldest first. Half surrogate pairs, which the service refuses,
 * are replaced.
 * @throws Error if the file is no export
 */
export function parseExport(text: string): ImportableConversation[] {
  const conversations = text.startsWith(ARCHIVE_START) ? parseArchive(text) : parseJson(text);
  return conversations
    .map(({ title, createdAt, messages }) => ({
      createdAt,
      title: toTitle(title.toWellFormed()),
      messages: messages.map((message) => ({ ...message, text: message.text.toWellFormed() })),
    }))
    .filter(({ messages }) => messages.length > 0)
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}
