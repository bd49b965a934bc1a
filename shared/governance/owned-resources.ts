import * as v from "valibot";
import { Feedback } from "../api/conversations/feedback.ts";
import { Folder } from "../api/conversations/folders.ts";
import { Approval } from "../api/governance/approvals.ts";
import { ExportedConversation } from "../api/governance/exports.ts";
import { Collection } from "../api/knowledge/collections.ts";
import { KnowledgeDocument } from "../api/knowledge/documents.ts";
import { Memory } from "../api/memory/memories.ts";
import { Note } from "../api/memory/notes.ts";
import { Persona } from "../api/personas/personas.ts";
import { Template } from "../api/personas/templates.ts";
import { messagesUntil } from "../conversations/message-store.ts";
import { indexKeys, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Item } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { documentText, listDocuments } from "../knowledge/document-store.ts";
import { listApprovals } from "./approvals/approval-store.ts";

/** Something of a kind, as it is given to whom it belongs. */
export interface Belonging {
  readonly kind: string;
  readonly data: unknown;
}

/** A kind of things that people own. */
export interface Possession {
  readonly kind: string;
  /** How one is shown to its owner. */
  readonly shape: v.GenericSchema;
  list(owner: UserScope, request: PageRequest): Promise<Page<Item>>;
  /** What is in one of them. */
  contents?(owner: UserScope, item: Item, cursor: string | undefined): Promise<Page<Belonging>>;
}

type Place = Pick<ListQuery, "index" | "pk" | "prefix" | "where">;

/** Lists what is kept in one place, in an order that what is changed meanwhile does not fall out of. */
export const kept =
  (list: string, place: (owner: UserScope) => Place): Possession["list"] =>
  (owner, request) =>
    listPage(owner, { list, filters: { user: owner.userId }, consistent: true, ...place(owner) }, request);

/** Lists what an index has in one place. */
export const indexed =
  (
    list: string,
    keysFor: (owner: UserScope) => { readonly gsi1pk: string },
    where?: (item: Item, owner: UserScope) => boolean,
  ) =>
  (owner: UserScope, request: PageRequest) => {
    const place = { index: "gsi1" as const, pk: keysFor(owner).gsi1pk };
    const filter = where && { where: (item: Item) => where(item, owner) };
    return listPage(owner, { list, filters: { user: owner.userId }, ...place, ...filter }, request);
  };

const isOwn = ({ owner_id }: Item, { userId }: UserScope) => owner_id === userId;

const { conversation: ConversationShape, messages: MessageShapes } = ExportedConversation.entries;

/** Messages of all times. */
const always = "9999";

const messagesOf: Possession["contents"] = async (owner, { id }, cursor) => {
  const { entries, next } = await messagesUntil(owner, String(id), always, cursor);
  const messages = v.parse(MessageShapes, entries);
  return { entries: messages.map((message) => ({ kind: "message", data: { conversation_id: id, ...message } })), next };
};

const documentsOf: Possession["contents"] = async (owner, { id }, cursor) => {
  // A document's text may have a megabyte.
  const { entries, next } = await listDocuments(owner, String(id), { limit: 1, ...(cursor && { cursor }) });
  const documents = entries.map(async (document) => ({
    kind: "document",
    data: { ...v.parse(KnowledgeDocument, document), text: await documentText(owner, document.id) },
  }));
  return { entries: await Promise.all(documents), next };
};

/** All kinds of things that people own, in the order in which they are given out. */
export const possessions: readonly Possession[] = [
  {
    kind: "folder",
    shape: Folder,
    list: kept("own-folders", ({ tenantId, userId }) => ({
      pk: keys.folder(tenantId, userId, "").pk,
      prefix: "folder#",
      where: ({ deleted }) => !deleted,
    })),
  },
  {
    kind: "conversation",
    shape: ConversationShape,
    list: indexed(
      "own-conversations",
      ({ tenantId, userId }) => indexKeys.conversationByActivity(tenantId, userId, ""),
      ({ discriminator }) => discriminator === "conversation",
    ),
    contents: messagesOf,
  },
  {
    kind: "note",
    shape: Note,
    list: kept("own-notes", ({ tenantId, userId }) => ({ pk: keys.note(tenantId, userId, "").pk })),
  },
  {
    kind: "memory",
    shape: Memory,
    list: kept("own-memories", ({ tenantId, userId }) => ({ pk: keys.memory(tenantId, `user#${userId}`, "").pk })),
  },
  {
    kind: "persona",
    shape: Persona,
    list: indexed("own-private-personas", ({ tenantId, userId }) => indexKeys.privatePersona(tenantId, userId, "")),
  },
  {
    kind: "persona",
    shape: Persona,
    list: indexed("own-shared-personas", ({ tenantId }) => indexKeys.sharedPersona(tenantId, ""), isOwn),
  },
  {
    kind: "template",
    shape: Template,
    list: indexed("own-private-templates", ({ tenantId, userId }) => indexKeys.privateTemplate(tenantId, userId, "")),
  },
  {
    kind: "template",
    shape: Template,
    list: indexed("own-shared-templates", ({ tenantId }) => indexKeys.sharedTemplate(tenantId, ""), isOwn),
  },
  {
    kind: "feedback",
    shape: Feedback,
    list: indexed("own-feedback", ({ tenantId, userId }) => indexKeys.ownFeedback(tenantId, userId, "")),
  },
  {
    kind: "collection",
    shape: Collection,
    list: indexed("own-private-collections", ({ tenantId, userId }) =>
      indexKeys.collectionByAudience(tenantId, `user#${userId}`, ""),
    ),
    contents: documentsOf,
  },
  {
    kind: "collection",
    shape: Collection,
    list: indexed(
      "own-shared-collections",
      ({ tenantId }) => indexKeys.collectionByAudience(tenantId, "tenant", ""),
      isOwn,
    ),
    contents: documentsOf,
  },
  {
    kind: "approval",
    shape: Approval,
    list: async (owner, request) =>
      (await listApprovals(owner, { requestedBy: owner.userId }, request)) as unknown as Page<Item>,
  },
];
