import { findConversation } from "../conversations/conversation-store.ts";
import type { StoredMessage } from "../conversations/message-store.ts";
import { messagesOf } from "../dynamodb/key-owner.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { IndexedPassage } from "../knowledge/index/knowledge-index.ts";
import { countPassageTerms, lexicalIndex } from "../knowledge/index/lexical-index.ts";
import { allocatePassageNumbers, deletePassages, putPassages } from "../knowledge/index/passage-store.ts";
import { changeWithStatistics } from "../knowledge/indexing/activate-placements.ts";
import { sha256 } from "../lib/hash.ts";
import { detectLanguage } from "../lib/language/languages.ts";
import { log } from "../lib/log.ts";
import { mapConcurrent } from "../lib/map-concurrent.ts";
import { blocksToMarkdown } from "../markdown/blocks-to-markdown.ts";
import {
  countedWrite,
  findIndexedMessage,
  type IndexedMessage,
  putIndexedMessage,
  removedWrite,
} from "./indexed-message-store.ts";

/** Maximum number of characters of a message that are indexed, which limits the number of writes. */
const MAX_INDEXED_LENGTH = 16_000;

/** Roles of messages that the index stores by their position in this array. Only append to it. */
export const indexedRoles = ["user", "assistant", "alert", "system"] as const;

/** Message before and after a change; undefined before its creation and after its deletion. */
export interface MessageChange {
  readonly before: StoredMessage | undefined;
  readonly after: StoredMessage | undefined;
}

/** Returns the text of a message in which searches find words. Empty for an answer in progress. */
export const toSearchableText = ({ content, status }: StoredMessage): string =>
  status === "streaming" ? "" : blocksToMarkdown(content);

const toIndexedText = (message: StoredMessage) => toSearchableText(message).slice(0, MAX_INDEXED_LENGTH);

interface PlacedText {
  readonly entry: IndexedMessage;
  readonly text: string;
}

const toPassage = ({ entry, text }: PlacedText): IndexedPassage => ({
  passage: entry.number,
  collectionId: entry.conversation_id,
  language: entry.language,
  title: "",
  headings: "",
  text,
});

const toStatistics = ({ owner_id, language, length }: IndexedMessage, sign: 1 | -1) => [
  { audience: messagesOf(owner_id), language, passages: sign, length: sign * length },
];

/** Removes messages from the index. The postings are removed first, because they are computed from the texts. */
async function removeMessages(scope: TenantScope, removed: readonly PlacedText[]): Promise<void> {
  for (const [ownerId, group] of Map.groupBy(removed, ({ entry }) => entry.owner_id)) {
    await lexicalIndex.remove(scope, messagesOf(ownerId), group.map(toPassage));
  }
  await mapConcurrent(removed, ({ entry }) =>
    deletePassages(scope, messagesOf(entry.owner_id), { first: entry.number, count: 1 }),
  );
  await changeWithStatistics(
    scope,
    removed.map(({ entry }) => ({
      write: removedWrite(scope, entry),
      statistics: entry.is_counted ? toStatistics(entry, -1) : [],
    })),
  );
}

/** Adds messages to the index of an owner. A message that an interrupted call has already placed keeps its number. */
async function addMessages(
  scope: TenantScope,
  ownerId: string,
  added: readonly { readonly message: StoredMessage; readonly text: string; readonly entry?: IndexedMessage }[],
): Promise<void> {
  const audience = messagesOf(ownerId);
  const unplaced = added.filter(({ entry }) => !entry).length;
  const allocated = unplaced > 0 ? await allocatePassageNumbers(scope, audience, unplaced) : null;
  let next = allocated?.first ?? 0;
  const placed = added.map(({ message, text, entry }) => {
    const language = detectLanguage(text, allocated?.statistics.byLanguage);
    const place = entry ?? {
      message_id: message.message_id,
      conversation_id: message.conversation_id,
      owner_id: ownerId,
      number: next++,
      language,
      text_hash: sha256(text),
      length: countPassageTerms({ passage: 0, collectionId: "", language, title: "", headings: "", text }),
      is_counted: false,
    };
    return { entry: place, text, role: message.role };
  });
  await mapConcurrent(placed, ({ entry }) => putIndexedMessage(scope, entry));
  await putPassages(
    scope,
    audience,
    placed.map(({ entry, role }) => ({
      passage: entry.number,
      document_id: entry.message_id,
      collection_id: entry.conversation_id,
      place: indexedRoles.indexOf(role),
      headings: "",
      text: "",
    })),
  );
  await lexicalIndex.add(scope, audience, placed.map(toPassage));
  await changeWithStatistics(
    scope,
    placed.map(({ entry }) => ({ write: countedWrite(scope, entry), statistics: toStatistics(entry, 1) })),
  );
}

/**
 * Updates the search index after changes of messages. Idempotent, also after an interrupted call.
 * @param changes changes in the order in which they happened
 */
export async function reconcileMessages(scope: TenantScope, changes: readonly MessageChange[]): Promise<void> {
  const idOf = ({ before, after }: MessageChange) => (after ?? before)?.message_id ?? "";
  const removed: PlacedText[] = [];
  const added: { message: StoredMessage; text: string; entry?: IndexedMessage }[] = [];
  await mapConcurrent([...Map.groupBy(changes, idOf)], async ([messageId, images]) => {
    const message = images.at(-1)?.after;
    const text = message ? toIndexedText(message) : "";
    const entry = await findIndexedMessage(scope, messageId);
    const isMoved = entry !== undefined && (message?.handed_to ?? entry.owner_id) !== entry.owner_id;
    const isCurrent = entry?.text_hash === sha256(text) && message !== undefined && !isMoved;
    if (entry && !isCurrent) {
      const texts = images.flatMap(({ before, after }) => [before, after]).flatMap((image) => image ?? []);
      const indexed = texts.map(toIndexedText).find((candidate) => sha256(candidate) === entry.text_hash);
      if (indexed === undefined) log.error("indexed text of message is unknown", { message_id: messageId });
      removed.push({ entry, text: indexed ?? "" });
    }
    if (!message || text.trim() === "") return;
    if (!entry || !isCurrent) added.push({ message, text });
    else if (!entry.is_counted) added.push({ message, text, entry });
  });
  await removeMessages(scope, removed);
  const conversationIds = [...new Set(added.map(({ message }) => message.conversation_id))];
  const conversations = await mapConcurrent(conversationIds, (id) => findConversation(scope, id));
  const owners = new Map(
    conversations.flatMap((found) => (found && !found.temporary ? [[found.id, found.owner_id] as const] : [])),
  );
  for (const [ownerId, group] of Map.groupBy(added, ({ message }) => owners.get(message.conversation_id))) {
    if (ownerId !== undefined) await addMessages(scope, ownerId, group);
  }
}
