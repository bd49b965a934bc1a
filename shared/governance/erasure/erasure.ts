import { conversationOf, deleteConversation } from "../../conversations/conversation-store.ts";
import { deletedFeedbackWrites, feedbackOf } from "../../conversations/feedback/feedback-store.ts";
import { folderOf, freeNameWrite } from "../../conversations/folders/folder-store.ts";
import { indexKeys, keys } from "../../dynamodb/keys.ts";
import type { Item, Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { tenantTable } from "../../dynamodb/tenant-scope.ts";
import { collectionOf, deletedCollectionWrites } from "../../knowledge/collection-store.ts";
import { notFound, ServiceError } from "../../lib/errors.ts";
import { mapConcurrent } from "../../lib/map-concurrent.ts";
import { deletedPersonaWrites } from "../../personas/endpoint-store.ts";
import { personaOf } from "../../personas/persona-store.ts";
import { approvalOf, asOfNow, transitionWrite } from "../approvals/approval-store.ts";
import { eraseText, exportOf } from "../exports/export-store.ts";
import { indexed, kept, type Possession, possessions } from "../owned-resources.ts";
import { countedWrite } from "./deletion-store.ts";

/** Deletes one thing; `counted` belongs in the same transaction. */
type Erase = (owner: UserScope, item: Item, counted: Write) => Promise<void>;

/** A kind of things that go with somebody's data. */
interface Kind extends Pick<Possession, "kind" | "list"> {
  readonly erase: Erase;
}

const together =
  (writes: (owner: UserScope, item: Item) => readonly Write[]): Erase =>
  (owner, item, counted) =>
    tenantTable(owner).transact([...writes(owner, item), counted]);

const itself = ({ pk, sk }: Item): Write => ({
  delete: { pk, sk },
  condition: { where: "attribute_exists(#pk)", onConditionFailed: notFound },
});

const alone = together((_, item) => [itself(item)]);

const erasers: Readonly<Record<string, Erase>> = {
  conversation: (owner, item, counted) => deleteConversation(owner, conversationOf(item).id, [counted]),
  note: alone,
  memory: alone,
  template: alone,
  persona: together((owner, item) => deletedPersonaWrites(owner, personaOf(item))),
  feedback: together((owner, item) => deletedFeedbackWrites(owner, feedbackOf(item))),
  collection: together((owner, item) => deletedCollectionWrites(owner, collectionOf(item))),
  folder: together((owner, item) => [itself(item), freeNameWrite(owner, folderOf(item))]),
  // What was decided is the tenant's record; what is not is not wanted any more.
  async approval(owner, item, counted) {
    const approval = asOfNow(approvalOf(item));
    if (approval.status !== "pending") return;
    const cancelled = transitionWrite(owner, { ...approval, status: "cancelled" }, notFound);
    await tenantTable(owner).transact([cancelled, counted]);
  },
};

/** What is somebody's in another way than by owning it. */
const others: readonly Kind[] = [
  {
    kind: "export",
    list: kept("own-exports", ({ tenantId, userId }) => ({ pk: keys.export(tenantId, userId, "").pk })),
    async erase(owner, item, counted) {
      await eraseText(owner, exportOf(item));
      await alone(owner, item, counted);
    },
  },
  {
    kind: "grant",
    list: indexed(
      "own-grants",
      ({ tenantId, userId }) => indexKeys.conversationByActivity(tenantId, userId, ""),
      ({ discriminator }) => discriminator === "grant",
    ),
    erase: alone,
  },
];

const owned = possessions.flatMap(({ kind, list }) => {
  const erase = erasers[kind];
  return erase ? { kind, list, erase } : [];
});

/** What has to wait for the rest: feedback goes with its conversation, and conversations leave their folders. */
const last = ["conversation", "folder"];

/** Everything that is deleted with somebody's data, in that order. */
export const kindsOfData: readonly Kind[] = [
  ...owned.filter(({ kind }) => !last.includes(kind)),
  ...others,
  ...last.flatMap((kind) => owned.filter((each) => each.kind === kind)),
];

/** Things looked at in one step. */
const batch = 50;

/** Things deleted at the same time; each counts in the same place. */
const lanes = 4;

/**
 * Deletes some of what somebody has of a kind, and counts it.
 * @param deletion id of the deletion that counts
 * @returns where to go on; null when nothing is left
 */
export async function eraseSome(
  owner: UserScope,
  { kind, list, erase }: Kind,
  deletion: string,
  cursor: string | undefined,
): Promise<string | null> {
  const { entries, next } = await list(owner, { limit: batch, ...(cursor && { cursor }) });
  const counted = countedWrite(owner, deletion, { [kind]: 1 });
  await mapConcurrent(
    entries,
    (item) =>
      erase(owner, item, counted).catch((error) => {
        // Somebody else has deleted it meanwhile: then it is not counted.
        if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
      }),
    lanes,
  );
  return next;
}
