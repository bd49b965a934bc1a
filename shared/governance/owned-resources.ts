import * as v from "valibot";
import { ConversationSummary } from "../api/conversation-summary.ts";
import { Attachment } from "../api/conversations/attachments.ts";
import { Feedback } from "../api/conversations/feedback.ts";
import { Folder } from "../api/conversations/folders.ts";
import { Approval } from "../api/governance/approvals.ts";
import { ExportedConversation } from "../api/governance/exports.ts";
import { Collection } from "../api/knowledge/collections.ts";
import { KnowledgeDocument } from "../api/knowledge/documents.ts";
import { Memory } from "../api/memory/memories.ts";
import { Note } from "../api/memory/notes.ts";
import type { Persona } from "../api/personas/personas.ts";
import { Template } from "../api/personas/templates.ts";
import { findAttachmentText } from "../conversations/attachments/attachment-files.ts";
import { listSentAttachments } from "../conversations/attachments/attachment-store.ts";
import { listMessagesUntil } from "../conversations/message-store.ts";
import { listSummaries } from "../conversations/summary-store.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { userOwner } from "../dynamodb/key-owner.ts";
import { indexKeys, keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Item } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { findDocumentText } from "../knowledge/document-source-store.ts";
import { listDocuments } from "../knowledge/document-store.ts";
import { readPersona } from "../personas/persona-store.ts";
import { listApprovalItems } from "./approvals/approval-list.ts";
import { readApproval, withCurrentStatus } from "./approvals/approval-store.ts";

/** Line of an archive: a resource, or an entry of its contents. */
export interface ExportRecord {
  readonly kind: string;
  readonly data: unknown;
}

export interface OwnedResource {
  readonly kind: string;
  /** Converts an item to the form in which the API returns it to its owner. */
  readonly toData: (item: Item) => unknown;
  list(owner: UserScope, request: PageRequest): Promise<Page<Item>>;
  /** Lists the contents of a resource, such as the messages of a conversation. */
  listContents?(owner: UserScope, item: Item, cursor: string | undefined): Promise<Page<ExportRecord>>;
}

type ListLocation = Pick<ListQuery, "index" | "pk" | "prefix" | "where">;

/**
 * Returns a function that lists a table partition. Concurrent updates cause no gaps, because sort keys do not change.
 */
export const listPartition =
  (list: string, toLocation: (owner: UserScope) => ListLocation): OwnedResource["list"] =>
  (owner, request) =>
    listPage(owner, { list, filters: { user: owner.userId }, consistent: true, ...toLocation(owner) }, request);

/** Returns a function that lists a partition of the index, optionally only items for which `where` returns true. */
export const listIndex =
  (
    list: string,
    toKey: (owner: UserScope) => { readonly gsi1pk: string },
    where?: (item: Item, owner: UserScope) => boolean,
  ): OwnedResource["list"] =>
  (owner, request) => {
    const location: ListLocation = {
      index: "gsi1",
      pk: toKey(owner).gsi1pk,
      ...(where && { where: (item: Item) => where(item, owner) }),
    };
    return listPage(owner, { list, filters: { user: owner.userId }, ...location }, request);
  };

const isOwn = ({ owner_id }: Item, { userId }: UserScope) => owner_id === userId;

const { conversation: ConversationData, messages: MessagesData } = ExportedConversation.entries;

/** Timestamp later than any message, for listing all messages. */
const END_OF_TIME = "9999";

/** Prefix of cursors for the attachments of a conversation, which are listed after its messages. */
const ATTACHMENT_CURSOR = "attachment:";

/**
 * Returns the next attachment of a conversation. Pages contain one attachment, because the text of a file can be 1.6 MB
 * long.
 */
async function listAttachments(owner: UserScope, conversationId: string, after: string): Promise<Page<ExportRecord>> {
  const [attachment, next] = (await listSentAttachments(owner, conversationId)).filter(({ id }) => id > after);
  if (!attachment) return { entries: [], next: null };
  const data = {
    ...v.parse(Attachment, attachment),
    text: attachment.kind === "file" ? await findAttachmentText(owner, attachment) : undefined,
  };
  return { entries: [{ kind: "attachment", data }], next: next ? ATTACHMENT_CURSOR + attachment.id : null };
}

const listMessages: OwnedResource["listContents"] = async (owner, { id }, cursor) => {
  if (cursor?.startsWith(ATTACHMENT_CURSOR)) {
    return listAttachments(owner, String(id), cursor.slice(ATTACHMENT_CURSOR.length));
  }
  const { entries, next } = await listMessagesUntil(owner, String(id), END_OF_TIME, cursor);
  const messages = v.parse(MessagesData, entries).map((message) => ({ kind: "message", data: message }));
  const summaries = next === null ? await listSummaries(owner, String(id)) : [];
  const records = [
    ...messages,
    ...summaries.map((summary) => ({ kind: "summary", data: v.parse(ConversationSummary, summary) })),
  ];
  const hasAttachments = messages.some(({ data }) => data.attachments !== undefined);
  return {
    entries: records.map(({ kind, data }) => ({ kind, data: { conversation_id: id, ...data } })),
    next: next ?? (hasAttachments || cursor !== undefined ? ATTACHMENT_CURSOR : null),
  };
};

/** Returns the next document of a collection. Pages contain one document, because its text can be 1 MB long. */
const listDocumentsWithText: OwnedResource["listContents"] = async (owner, { id }, cursor) => {
  const { entries, next } = await listDocuments(owner, String(id), { limit: 1, ...(cursor && { cursor }) });
  const documents = entries.map(async (document) => ({
    kind: "document",
    data: {
      ...v.parse(KnowledgeDocument, document),
      text: await findDocumentText(owner, document, document.version),
    },
  }));
  return { entries: await Promise.all(documents), next };
};

const toApprovalData = itemReader(Approval);

/**
 * Converts the item of a persona to its API form. `readPersona` supplies attributes that earlier releases did not
 * store.
 */
function toPersonaData(item: Item): Persona {
  const { revision: _, ...persona } = readPersona(item);
  return persona;
}

/**
 * Kinds of resources that users own, in the order of their export. Exports in progress refer to entries by index, so
 * the order must not change.
 */
export const ownedResources: readonly OwnedResource[] = [
  {
    kind: "folder",
    toData: itemReader(Folder),
    list: listPartition("own-folders", ({ tenantId, userId }) => ({
      pk: keys.folder(tenantId, userId, "").pk,
      prefix: keyPrefixes.folder,
      where: ({ deleted }) => !deleted,
    })),
  },
  {
    kind: "conversation",
    toData: itemReader(ConversationData),
    list: listIndex(
      "own-conversations",
      ({ tenantId, userId }) => indexKeys.conversationByActivity(tenantId, userId, ""),
      ({ discriminator }) => discriminator === "conversation",
    ),
    listContents: listMessages,
  },
  {
    kind: "note",
    toData: itemReader(Note),
    list: listPartition("own-notes", ({ tenantId, userId }) => ({ pk: keys.note(tenantId, userId, "").pk })),
  },
  {
    kind: "memory",
    toData: itemReader(Memory),
    list: listPartition("own-memories", ({ tenantId, userId }) => ({
      pk: keys.memory(tenantId, userOwner(userId), "").pk,
    })),
  },
  {
    kind: "persona",
    toData: toPersonaData,
    list: listIndex("own-private-personas", ({ tenantId, userId }) => indexKeys.privatePersona(tenantId, userId, "")),
  },
  {
    kind: "persona",
    toData: toPersonaData,
    list: listIndex("own-shared-personas", ({ tenantId }) => indexKeys.sharedPersona(tenantId, ""), isOwn),
  },
  {
    kind: "template",
    toData: itemReader(Template),
    list: listIndex("own-private-templates", ({ tenantId, userId }) => indexKeys.privateTemplate(tenantId, userId, "")),
  },
  {
    kind: "template",
    toData: itemReader(Template),
    list: listIndex("own-shared-templates", ({ tenantId }) => indexKeys.sharedTemplate(tenantId, ""), isOwn),
  },
  {
    kind: "feedback",
    toData: itemReader(Feedback),
    list: listIndex("own-feedback", ({ tenantId, userId }) => indexKeys.ownFeedback(tenantId, userId, "")),
  },
  {
    kind: "collection",
    toData: itemReader(Collection),
    list: listIndex("own-private-collections", ({ tenantId, userId }) =>
      indexKeys.collectionByAudience(tenantId, userOwner(userId), ""),
    ),
    listContents: listDocumentsWithText,
  },
  {
    kind: "collection",
    toData: itemReader(Collection),
    list: listIndex(
      "own-shared-collections",
      ({ tenantId }) => indexKeys.collectionByAudience(tenantId, "tenant", ""),
      isOwn,
    ),
    listContents: listDocumentsWithText,
  },
  {
    kind: "approval",
    toData: (item) => toApprovalData(withCurrentStatus(readApproval(item))),
    list: (owner, request) => listApprovalItems(owner, { requestedBy: owner.userId }, request),
  },
];
