import { deleteConversation, readConversation } from "../../conversations/conversation-store.ts";
import { deleteFeedbackWrites, readFeedback } from "../../conversations/feedback/feedback-store.ts";
import { readFolder, releaseNameWrite } from "../../conversations/folders/folder-store.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import { exists, type Item, type Write } from "../../dynamodb/table.ts";
import { tenantTable, type UserScope } from "../../dynamodb/tenant-scope.ts";
import { deleteCollectionWrites, readCollection } from "../../knowledge/collection-store.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { deletePersonaWrites } from "../../personas/endpoint-store.ts";
import { readPersona } from "../../personas/persona-store.ts";
import { revokeAtIssuer } from "../../tools/oauth/revoke-tokens.ts";
import { findTokenItems, readTokenItem } from "../../tools/oauth/token-store.ts";
import { findToolServers, listServersWithSignIn } from "../../tools/server-store.ts";
import { readApproval, transitionWrite, withCurrentStatus } from "../approvals/approval-store.ts";
import { countErasureWrite } from "../deletion-store.ts";
import { deleteExportText, readExport } from "../exports/export-store.ts";
import { listIndex, listPartition, type OwnedResource, ownedResources } from "../owned-resources.ts";

/** Erases one resource. `countWrite` must be in the same transaction. */
type Erase = (owner: UserScope, item: Item, countWrite: Write) => Promise<void>;

/** Kind of resource that is erased with a user's data, and the functions to list and erase it. */
interface ErasableResource extends Pick<OwnedResource, "kind" | "list"> {
  readonly erase: Erase;
}

const inTransaction =
  (toWrites: (owner: UserScope, item: Item) => readonly Write[]): Erase =>
  (owner, item, countWrite) =>
    tenantTable(owner).transact([...toWrites(owner, item), countWrite]);

const deleteWrite = ({ pk, sk }: Item): Write => ({
  delete: { pk, sk },
  condition: exists(notFound),
});

const deleteItem = inTransaction((_, item) => [deleteWrite(item)]);

/** Erasers of kinds that consist of more than their item. */
const erasers: Readonly<Record<string, Erase>> = {
  conversation: (owner, item, countWrite) => deleteConversation(owner, readConversation(item).id, [countWrite]),
  persona: inTransaction((owner, item) => deletePersonaWrites(owner, readPersona(item))),
  feedback: inTransaction((owner, item) => deleteFeedbackWrites(owner, readFeedback(item))),
  collection: inTransaction((owner, item) => deleteCollectionWrites(owner, readCollection(item))),
  folder: inTransaction((owner, item) => [deleteWrite(item), releaseNameWrite(owner, readFolder(item))]),
  // Decided approvals are records of the tenant and stay; pending ones are cancelled.
  async approval(owner, item, countWrite) {
    const approval = withCurrentStatus(readApproval(item));
    if (approval.status !== "pending") return;
    const cancelWrite = transitionWrite(owner, { ...approval, status: "cancelled" }, notFound);
    await tenantTable(owner).transact([cancelWrite, countWrite]);
  },
};

/** Kinds of resources of a user that are erased but not exported. */
const unexportedResources: readonly ErasableResource[] = [
  {
    kind: "export",
    list: listPartition("own-exports", ({ tenantId, userId }) => ({ pk: keys.export(tenantId, userId, "").pk })),
    async erase(owner, item, countWrite) {
      await deleteExportText(owner, readExport(item));
      await tenantTable(owner).deleteMany([keys.pendingExport(owner.tenantId, owner.userId)]);
      await deleteItem(owner, item, countWrite);
    },
  },
  {
    kind: "grant",
    list: listIndex(
      "own-grants",
      ({ tenantId, userId }) => indexKeys.conversationByActivity(tenantId, userId, ""),
      ({ discriminator }) => discriminator === "grant",
    ),
    erase: deleteItem,
  },
  {
    // The kind is part of the name of an attribute.
    kind: "tool_token",
    // There are few servers with sign-in, so they are one page.
    async list(owner) {
      const servers = await listServersWithSignIn(owner);
      return {
        entries: await findTokenItems(
          owner,
          servers.map(({ id }) => id),
        ),
        next: null,
      };
    },
    async erase(owner, item, countWrite) {
      const token = readTokenItem(item);
      const [server] = await findToolServers(owner, [token.server_id]);
      await deleteItem(owner, item, countWrite);
      if (server) await revokeAtIssuer(owner, server, token);
    },
  },
];

/** Links of messenger accounts to the user, with which an account acts as this user. */
const slackLinks: ErasableResource = {
  kind: "messenger_link",
  list: listIndex("own-slack-links", ({ tenantId, userId }) => indexKeys.ownMessengerLinks(tenantId, userId, "")),
  erase: deleteItem,
};

const exportedResources = ownedResources.map(({ kind, list }): ErasableResource => {
  return { kind, list, erase: erasers[kind] ?? deleteItem };
});

/**
 * Kinds to erase last, in this order. Deleting a conversation also deletes its feedback and removes it from its folder.
 */
const lastKinds = ["conversation", "folder"];

/** Kinds of resources that are erased with a user's data, in order. */
export const erasableResources: readonly ErasableResource[] = [
  ...exportedResources.filter(({ kind }) => !lastKinds.includes(kind)),
  ...unexportedResources,
  slackLinks,
  ...lastKinds.flatMap((lastKind) => exportedResources.filter(({ kind }) => kind === lastKind)),
];

const ERASURE_PAGE_SIZE = 50;

/** Maximum number of concurrent deletions. Low, because each deletion updates the same counter item. */
const ERASURE_CONCURRENCY = 4;

/**
 * Erases and counts one page of a user's resources of one kind.
 * @param deletionId id of the data deletion whose counter is incremented
 */
export async function erasePage(
  owner: UserScope,
  { kind, list, erase }: ErasableResource,
  deletionId: string,
  cursor: string | undefined,
): Promise<string | null> {
  const { entries, next } = await list(owner, { limit: ERASURE_PAGE_SIZE, ...(cursor && { cursor }) });
  const countWrite = countErasureWrite(owner, deletionId, { [kind]: 1 });
  await mapConcurrent(
    entries,
    (item) =>
      erase(owner, item, countWrite).catch((error) => {
        // Deleted concurrently, so it is not counted.
        if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
      }),
    ERASURE_CONCURRENCY,
  );
  return next;
}
