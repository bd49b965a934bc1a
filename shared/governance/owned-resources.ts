import { Feedback } from "../api/conversations/feedback.ts";
import { Folder } from "../api/conversations/folders.ts";
import { Approval } from "../api/governance/approvals.ts";
import { ExportedConversation } from "../api/governance/exports.ts";
import { Collection } from "../api/knowledge/collections.ts";
import { Memory } from "../api/memory/memories.ts";
import { Note } from "../api/memory/notes.ts";
import type { Persona } from "../api/personas/persona.ts";
import { Template } from "../api/personas/templates.ts";
import { ScheduleFields } from "../api/schedules/schedules.ts";
import { itemReader } from "../dynamodb/item-reader.ts";
import { userOwner } from "../dynamodb/key-owner.ts";
import { indexKeys, keyPrefixes, keys } from "../dynamodb/keys.ts";
import { type ListQuery, listPage, type Page, type PageRequest } from "../dynamodb/pagination.ts";
import type { Item } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { readPersona } from "../personas/persona-store.ts";
import { listApprovalItems } from "./approvals/approval-list.ts";
import { readApproval, withCurrentStatus } from "./approvals/approval-store.ts";

export interface OwnedResource {
  readonly kind: string;
  /** Converts an item to the form in which the API returns it to its owner. */
  readonly toData: (item: Item) => unknown;
  list(owner: UserScope, request: PageRequest): Promise<Page<Item>>;
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

const toConversationData = itemReader(ExportedConversation.entries.conversation);
const toApprovalData = itemReader(Approval);

/** Converts the item of a persona to its API form. */
function toPersonaData(item: Item): Persona {
  const { revision: _, gate_run: _run, gate_override: _override, ...persona } = readPersona(item);
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
    toData: toConversationData,
    list: listIndex(
      "own-conversations",
      ({ tenantId, userId }) => indexKeys.conversationByActivity(tenantId, userId, ""),
      ({ discriminator }) => discriminator === "conversation",
    ),
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
      indexKeys.collectionByReaders(tenantId, userOwner(userId), ""),
    ),
  },
  {
    kind: "collection",
    toData: itemReader(Collection),
    list: listIndex(
      "own-shared-collections",
      ({ tenantId }) => indexKeys.collectionByReaders(tenantId, "tenant", ""),
      isOwn,
    ),
  },
  {
    kind: "collection",
    toData: itemReader(Collection),
    list: listIndex(
      "own-collections-of-readers",
      ({ tenantId }) => indexKeys.collectionByReaders(tenantId, "readers", ""),
      isOwn,
    ),
  },
  {
    kind: "approval",
    toData: (item) => toApprovalData(withCurrentStatus(readApproval(item))),
    list: (owner, request) => listApprovalItems(owner, { requestedBy: owner.userId }, request),
  },
  {
    kind: "schedule",
    toData: itemReader(ScheduleFields),
    list: listPartition("own-schedules", ({ tenantId, userId }) => {
      const { pk, sk: prefix } = keys.schedule(tenantId, userId, "");
      return { pk, prefix };
    }),
  },
];
