import { afterAll, beforeAll, expect, it } from "vitest";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { listFolders, newFolder, newFolderWrites } from "#shared/conversations/folders/folder-store.ts";
import { listShareLinks, newShareLink, newShareLinkWrites } from "#shared/conversations/sharing/share-link-store.ts";
import { keys } from "#shared/dynamodb/keys.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import { getDeletion, newDeletion, newDeletionWrite } from "#shared/governance/deletion-store.ts";
import { eraseUserData } from "#shared/governance/erasure/erase-user-data.ts";
import {
  appendText,
  archiveSource,
  newExport,
  newExportWrite,
  type StoredExport,
} from "#shared/governance/exports/export-store.ts";
import { handOverContent } from "#shared/governance/hand-over/hand-over-content.ts";
import { listCollections, newCollection, newCollectionWrites } from "#shared/knowledge/collection-store.ts";
import { addNote, listNotes, newNote } from "#shared/memory/note-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

let table: MeteredTable;
beforeAll(async () => {
  table = await startMeteredTable();
});
afterAll(() => table.stop());

it("eraseUserData() counts each erased item once despite interruptions and concurrent runs", async () => {
  const owner = { tenantId: "t", userId: "user-1" };
  const folder = newFolder({ name: "F", parent_id: null });
  await tenantTable(owner).transact(await newFolderWrites(owner, folder));
  for (let n = 0; n < 60; n++) {
    const conversation = newConversation(owner.userId, {
      title: `C ${n}`,
      tier: "QUICK",
      folder_id: n % 2 ? folder.id : null,
      persona_id: null,
    });
    await tenantTable(owner).transact(newConversationWrites(owner, conversation));
    await addNote(
      owner,
      newNote(owner.userId, { title: "N", body: "", tags: [], pinned: false, conversation_id: null }),
    );
  }
  const deletion = newDeletion(owner.userId, "admin");
  await tenantTable(owner).write(newDeletionWrite(owner, deletion));
  const job = { tenantId: owner.tenantId, id: deletion.id };
  for (let writes = 0; writes < 90; writes += 7)
    await table.failAfter(writes, () => eraseUserData(job)).catch(() => {});
  await Promise.allSettled([eraseUserData(job), eraseUserData(job), eraseUserData(job)]);
  await eraseUserData(job);
  const { status, counts } = await getDeletion(owner, deletion.id);
  expect([status, counts]).toEqual(["completed", { conversation: 60, folder: 1, note: 60 }]);
  const remaining = (await table.scan()).filter(({ deleted }) => !deleted).map(({ discriminator }) => discriminator);
  expect(remaining).toEqual(["deletion"]);
});

it("eraseUserData() deletes an unfinished export without reading its content", async () => {
  const owner = { tenantId: "t", userId: "user-2" };
  const text = "x".repeat(3_000_000);
  const exports: StoredExport[] = [];
  for (const next of ["more", null]) {
    const created = newExport(owner.userId, archiveSource);
    await tenantTable(owner).write(newExportWrite(owner, created));
    exports.push((await appendText(owner, created, { text, next })) as StoredExport);
  }
  const deletion = newDeletion(owner.userId, owner.userId);
  await tenantTable(owner).write(newDeletionWrite(owner, deletion));
  const { read } = await table.measure(() => eraseUserData({ tenantId: owner.tenantId, id: deletion.id }));
  expect(read).toBeLessThan(100);
  expect((await getDeletion(owner, deletion.id)).counts).toEqual({ export: 2 });
  expect(await appendText(owner, exports[0] as StoredExport, { text, next: null })).toBeNull();
  expect((await table.scan()).filter(({ discriminator }) => /^export/.test(String(discriminator)))).toEqual([]);
});

it("handOverContent() moves each item once to the other person despite interruptions and concurrent runs", async () => {
  const owner = { tenantId: "t", userId: "left" };
  const successor = { tenantId: "t", userId: "heir" };
  const outer = newFolder({ name: "Projects", parent_id: null });
  const own = newFolder({ name: "projects", parent_id: null });
  await tenantTable(owner).transact(await newFolderWrites(owner, outer));
  await tenantTable(successor).transact(await newFolderWrites(successor, own));
  const inner = newFolder({ name: "Inner", parent_id: outer.id });
  await tenantTable(owner).transact(await newFolderWrites(owner, inner));
  const conversations = Array.from({ length: 55 }, (_, n) =>
    newConversation(owner.userId, {
      ...{ title: `C ${n}`, tier: "QUICK" as const, persona_id: null },
      folder_id: n % 2 ? inner.id : null,
    }),
  );
  for (const conversation of conversations) {
    await tenantTable(owner).transact(newConversationWrites(owner, conversation));
    const fields = { title: "N", body: "", tags: [], pinned: false, conversation_id: conversation.id };
    await addNote(owner, newNote(owner.userId, fields));
  }
  for (const [userId, name, readers] of [
    [owner.userId, "Charts", ["group:g"]],
    [owner.userId, "Logs", []],
    [successor.userId, "charts", []],
  ] as const) {
    const collection = newCollection(userId, { name, description: "", readers: [...readers] });
    await tenantTable(owner).transact(newCollectionWrites(owner, collection));
  }
  const handOver = newDeletion(owner.userId, "admin", successor.userId);
  await tenantTable(owner).write(newDeletionWrite(owner, handOver));
  const job = { tenantId: owner.tenantId, id: handOver.id };
  for (let writes = 0; writes < 90; writes += 7)
    await table.failAfter(writes, () => handOverContent(job)).catch(() => {});
  await Promise.allSettled([handOverContent(job), handOverContent(job)]);
  await handOverContent(job);
  const { status, counts } = await getDeletion(owner, handOver.id);
  expect([status, counts]).toEqual(["completed", { collection: 2, conversation: 55, folder: 2, note: 55 }]);
  const page = { limit: 100 };
  const folders = (await listFolders(successor, page)).entries;
  expect(folders.find(({ id }) => id === outer.id)).toMatchObject({ name: "Projects (2)", parent_id: null });
  expect(folders.find(({ id }) => id === inner.id)).toMatchObject({ parent_id: outer.id, conversation_count: 27 });
  expect((await listFolders(owner, page)).entries).toEqual([]);
  const names = async (reader: typeof owner) =>
    (await listCollections(reader, page)).entries.map(({ name }) => name).sort();
  expect([await names(owner), await names(successor)]).toEqual([[], ["Charts (2)", "Logs", "charts"]]);
  expect((await listNotes(successor, page)).entries).toHaveLength(55);
  const items = await table.scan();
  const owners = items.filter(({ id }) => conversations.some((each) => each.id === id)).map(({ owner_id }) => owner_id);
  expect(new Set(owners)).toEqual(new Set(["heir"]));
  const left = items.filter((item) => JSON.stringify([item.pk, item.gsi1pk, item.gsi1sk]).includes("left"));
  expect(left).toEqual([]);
});

const oneConversation = { title: "C", tier: "QUICK", folder_id: null, persona_id: null } as const;

it("handOverContent() revokes all public links of a conversation", async () => {
  const owner = { tenantId: "t", userId: "sharer" };
  const conversation = newConversation(owner.userId, oneConversation);
  await tenantTable(owner).transact(newConversationWrites(owner, conversation));
  for (let n = 0; n < 55; n++) {
    const link = newShareLink(conversation, "7d", { link_id: `link-${n}`, hash: `hash-${n}` });
    await tenantTable(owner).transact(newShareLinkWrites(owner, link));
  }
  const handOver = newDeletion(owner.userId, "admin", "heir");
  await tenantTable(owner).write(newDeletionWrite(owner, handOver));
  await handOverContent({ tenantId: owner.tenantId, id: handOver.id });
  const links = (await listShareLinks(owner, conversation.id, { limit: 100 })).entries;
  expect(links.map(({ status }) => status)).toEqual(Array(55).fill("revoked"));
});

it("handOverContent() leaves a conversation whose owner has become a third person", async () => {
  const owner = { tenantId: "t", userId: "lister" };
  const conversation = newConversation(owner.userId, oneConversation);
  await tenantTable(owner).transact(newConversationWrites(owner, conversation));
  const key = keys.conversation(owner.tenantId, conversation.id);
  await tenantTable(owner).write({ update: key, set: { owner_id: "third" } });
  const handOver = newDeletion(owner.userId, "admin", "heir");
  await tenantTable(owner).write(newDeletionWrite(owner, handOver));
  await handOverContent({ tenantId: owner.tenantId, id: handOver.id });
  expect(await table.get(key.pk, key.sk)).toMatchObject({ owner_id: "third" });
  expect(await getDeletion(owner, handOver.id)).toMatchObject({ status: "completed", counts: {} });
});
