import * as v from "valibot";
import { ConversationSummary } from "../../api/conversation-summary.ts";
import { Attachment } from "../../api/conversations/attachments.ts";
import { ExportedConversation } from "../../api/governance/exports.ts";
import { KnowledgeDocument } from "../../api/knowledge/documents.ts";
import { findAttachmentText } from "../../conversations/attachments/attachment-files.ts";
import { listSentAttachments } from "../../conversations/attachments/attachment-store.ts";
import { listMessagesUntil } from "../../conversations/message-store.ts";
import { listSummaries } from "../../conversations/summary-store.ts";
import { mapPage, type Page } from "../../dynamodb/pagination.ts";
import type { Item } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { getCollection } from "../../knowledge/collection-store.ts";
import { findDocumentText } from "../../knowledge/document-source-store.ts";
import { listDocuments } from "../../knowledge/document-store.ts";
import { hideSources } from "../../knowledge/readers/hide-sources.ts";
import { listFullVersions } from "../../personas/version-store.ts";

/** Line of an archive: a resource, or an entry of its contents. */
export interface ExportRecord {
  readonly kind: string;
  readonly data: unknown;
}

/** Lists the contents of a resource, such as the messages of a conversation. */
type ListContents = (owner: UserScope, item: Item, cursor: string | undefined) => Promise<Page<ExportRecord>>;

const { messages: MessagesData } = ExportedConversation.entries;

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

const listMessages: ListContents = async (owner, { id }, cursor) => {
  if (cursor?.startsWith(ATTACHMENT_CURSOR)) {
    return listAttachments(owner, String(id), cursor.slice(ATTACHMENT_CURSOR.length));
  }
  const { entries, next } = await listMessagesUntil(owner, String(id), END_OF_TIME, cursor);
  const messages = v
    .parse(MessagesData, await hideSources(owner, entries))
    .map((message) => ({ kind: "message", data: message }));
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
const listDocumentsWithText: ListContents = async (owner, { id }, cursor) => {
  const collection = await getCollection(owner, String(id));
  const { entries, next } = await listDocuments(owner, collection, { limit: 1, ...(cursor && { cursor }) });
  const documents = entries.map(async (document) => ({
    kind: "document",
    data: {
      ...v.parse(KnowledgeDocument, document),
      text: await findDocumentText(owner, document, document.version),
    },
  }));
  return { entries: await Promise.all(documents), next };
};

/** Number of versions in a part of an archive. A version has at most about 100 KB. */
const VERSIONS_PER_PART = 10;

const listVersions: ListContents = async (owner, { id }, cursor) =>
  mapPage(
    await listFullVersions(owner, String(id), { limit: VERSIONS_PER_PART, ...(cursor && { cursor }) }),
    (version) => ({ kind: "persona_version", data: version }),
  );

/** Lists of the contents of exported resources, by the kind of the resource. */
export const exportedContents: ReadonlyMap<string, ListContents> = new Map([
  ["conversation", listMessages],
  ["collection", listDocumentsWithText],
  ["persona", listVersions],
]);
