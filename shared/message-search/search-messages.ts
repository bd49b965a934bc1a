import type { MessageHit } from "../api/conversations/message-search.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { readConversation, type StoredConversation } from "../conversations/conversation-store.ts";
import { findHiddenFromReader } from "../conversations/list-branch.ts";
import { readMessage } from "../conversations/message-store.ts";
import { readGrant } from "../conversations/sharing/grant-store.ts";
import { batchGetAll } from "../dynamodb/batch-get-all.ts";
import { messagesOf } from "../dynamodb/key-owner.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { tenantTable, type UserScope } from "../dynamodb/tenant-scope.ts";
import type { RankedPassage } from "../knowledge/index/knowledge-index.ts";
import { lexicalIndex } from "../knowledge/index/lexical-index.ts";
import { findPassages, type IndexStatistics, readStatistics, statisticsKey } from "../knowledge/index/passage-store.ts";
import { extractSnippet } from "../knowledge/search/extract-snippet.ts";
import { findHighlights } from "../knowledge/search/find-highlights.ts";
import { ServiceError } from "../lib/errors.ts";
import { detectLanguage, type Language } from "../lib/language/languages.ts";
import { extractTerms } from "../lib/language/terms.ts";
import { indexedRoles, toSearchableText } from "./index-messages.ts";

interface MessageQuery {
  readonly text: string;
  readonly limit: number;
  readonly folderId?: string | undefined;
  readonly personaId?: string | undefined;
  readonly role?: (typeof indexedRoles)[number] | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** Maximum number of ranked messages from which the results are chosen. */
const MAX_CANDIDATES = 60;

/**
 * Maximum number of further index blocks, of about 60 postings each, that a search reads: for the user's own index, and
 * for that of each other owner.
 */
const MAX_BLOCKS = 40;
const MAX_SHARED_BLOCKS = 10;

/**
 * Number of the user's latest conversations among which shared ones are searched, and maximum number of their owners.
 */
const MAX_LISTED_CONVERSATIONS = 50;
const MAX_OWNERS = 5;

/** Returns the ids of conversations that other users share with the user, by owner. */
async function findShared(member: UserScope): Promise<Map<string, string[]>> {
  const { gsi1pk: pk } = indexKeys.conversationByActivity(member.tenantId, member.userId, "");
  const limit = MAX_LISTED_CONVERSATIONS;
  const items = await tenantTable(member).query({ index: "gsi1", pk, limit, descending: true });
  const ids = items
    .filter(({ discriminator }) => discriminator === "grant")
    .map((item) => readGrant(item).conversation_id);
  const conversations = [...(await findConversations(member, ids)).values()];
  const byOwner = [...Map.groupBy(conversations, ({ owner_id }) => owner_id)].slice(0, MAX_OWNERS);
  return new Map(byOwner.map(([ownerId, group]) => [ownerId, group.map(({ id }) => id)]));
}

async function findConversations(
  scope: UserScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredConversation>> {
  const items = await batchGetAll(
    tenantTable(scope),
    [...new Set(ids)].map((id) => keys.conversation(scope.tenantId, id)),
  );
  return new Map(items.filter(({ deleted }) => !deleted).map((item) => [String(item.id), readConversation(item)]));
}

async function listFolderConversations(scope: UserScope, folderId: string): Promise<string[]> {
  const { pk } = keys.folderEntry(scope.tenantId, folderId, "");
  const entries = await tenantTable(scope).query({ pk });
  return entries.map(({ sk }) => sk);
}

/**
 * Leaves out languages of less than one message in 1,000, which often were detected by mistake, except for the language
 * of the query. Each language costs half a read unit per word of the query.
 */
function withoutRareLanguages(statistics: IndexStatistics, text: string): IndexStatistics {
  const ofQuery = detectLanguage(text);
  const counts = Object.entries(statistics.byLanguage) as [Language, number][];
  const kept = counts.filter(([language, count]) => language === ofQuery || count * 1_000 >= statistics.passages);
  return { ...statistics, byLanguage: Object.fromEntries(kept) };
}

const toWords = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const toPairs = (words: readonly string[]): string[] => words.slice(1).map((word, index) => `${words[index]} ${word}`);

/** Returns the share of the values that a list contains, from 0 to 1; 0 if there are no values. */
function shareIn(list: readonly string[], values: readonly string[]): number {
  const known = new Set(list);
  return values.length === 0 ? 0 : values.filter((value) => known.has(value)).length / values.length;
}

/**
 * Returns a factor from 1 to 3 for the score of a text: higher the more words of the query it contains exactly as typed
 * and in the same sequence. The index itself has only stems without stop words.
 */
function weighForms(query: string, text: string): number {
  const [typed, words] = [toWords(query), toWords(text)];
  return 1 + shareIn(words, typed) + shareIn(toPairs(words), toPairs(typed));
}

/**
 * Returns the best matching messages in conversations of the user and in those that others share with the user; with
 * `folderId`, only in the user's own conversations in this folder.
 */
async function rankMessages(member: UserScope, { text, folderId }: MessageQuery): Promise<RankedPassage[]> {
  const shared = folderId === undefined ? await findShared(member) : new Map<string, string[]>();
  const own = folderId === undefined ? undefined : await listFolderConversations(member, folderId);
  if (own?.length === 0) return [];
  const sources = [
    { audience: messagesOf(member.userId), collectionIds: own, maxBlocks: MAX_BLOCKS },
    ...[...shared].map(([ownerId, collectionIds]) => ({
      audience: messagesOf(ownerId),
      collectionIds,
      maxBlocks: MAX_SHARED_BLOCKS,
    })),
  ];
  const statisticsKeys = sources.map(({ audience }) => statisticsKey(member, audience));
  const items = await batchGetAll(tenantTable(member), statisticsKeys);
  const rankings = await Promise.all(
    sources.map(({ audience, collectionIds, maxBlocks }) => {
      const item = items.find(({ pk }) => pk === statisticsKey(member, audience).pk);
      return lexicalIndex.rank(member, {
        text,
        depth: MAX_CANDIDATES,
        statistics: new Map([[audience, withoutRareLanguages(readStatistics(item), text)]]),
        maxBlocks,
        ...(collectionIds && { collectionIds }),
      });
    }),
  );
  return rankings
    .flatMap(({ passages }) => passages)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_CANDIDATES);
}

interface Readable {
  readonly conversation: StoredConversation;
  /** Ids of messages that the user does not see, because they are not on the active branch. */
  readonly hidden: ReadonlySet<string>;
}

/** Returns the conversations that the user can read now. Conversations of others cost two more reads each. */
async function findReadable(member: UserScope, ids: readonly string[]): Promise<ReadonlyMap<string, Readable>> {
  const found = [...(await findConversations(member, ids)).values()];
  const readable = await Promise.all(
    found.map(async (conversation): Promise<Readable | null> => {
      if (conversation.owner_id === member.userId) return { conversation, hidden: new Set() };
      try {
        const projection = await authorizeConversation(member, conversation.id, "READ");
        return { conversation, hidden: await findHiddenFromReader(member, projection) };
      } catch (error) {
        if (error instanceof ServiceError && error.code === "not_found") return null;
        throw error;
      }
    }),
  );
  return new Map(readable.flatMap((each) => (each ? [[each.conversation.id, each] as const] : [])));
}

/**
 * Searches all messages in the user's conversations, and in those shared conversations that are among the user's 50
 * latest. Candidates are read in steps until there are enough results, to limit the reads.
 */
export async function searchMessages(member: UserScope, query: MessageQuery): Promise<MessageHit[]> {
  const ranked = await rankMessages(member, query);
  const hits: MessageHit[] = [];
  for (let start = 0; start < ranked.length && hits.length < query.limit; start += query.limit) {
    hits.push(...(await readHits(member, query, ranked.slice(start, start + query.limit))));
  }
  return hits.toSorted((a, b) => b.score - a.score).slice(0, query.limit);
}

async function readHits(
  member: UserScope,
  query: MessageQuery,
  ranked: readonly RankedPassage[],
): Promise<MessageHit[]> {
  const passages = (await findPassages(member, ranked)).filter(
    ({ place }) => query.role === undefined || indexedRoles[place] === query.role,
  );
  const conversations = await findReadable(
    member,
    passages.map(({ collection_id }) => collection_id),
  );
  const wanted = passages.filter(({ collection_id, document_id }) => {
    const { conversation, hidden } = conversations.get(collection_id) ?? {};
    if (!conversation || hidden?.has(document_id)) return false;
    return query.personaId === undefined || conversation.persona_id === query.personaId;
  });
  const items = await batchGetAll(
    tenantTable(member),
    wanted.map(({ collection_id, document_id }) => keys.message(member.tenantId, collection_id, document_id)),
  );
  const messages = new Map(items.map((item) => [String(item.message_id), readMessage(item)]));
  return ranked.flatMap(({ audience, passage, score }) => {
    const place = wanted.find((each) => each.audience === audience && each.passage === passage);
    const message = place && messages.get(place.document_id);
    const conversation = place && conversations.get(place.collection_id)?.conversation;
    if (!message || !conversation) return [];
    const { created_at } = message;
    if ((query.after && created_at < query.after) || (query.before && created_at >= query.before)) return [];
    const text = toSearchableText(message);
    const language = detectLanguage(text);
    const terms = extractTerms(query.text, language);
    const snippet = extractSnippet(text, new Map(terms.map((term) => [term, term.length])), language);
    return {
      conversation_id: conversation.id,
      conversation_title: conversation.title,
      message_id: message.message_id,
      parent_id: message.parent_id,
      role: message.role,
      author_id: message.author_id,
      created_at,
      snippet,
      highlights: findHighlights(snippet, new Set(terms), language),
      score: Math.round(score * weighForms(query.text, text) * 10_000) / 10_000,
    };
  });
}
