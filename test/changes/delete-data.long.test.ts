import { afterAll, beforeAll, expect, it } from "vitest";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { newFolder, newFolderWrites } from "#shared/conversations/folders/folder-store.ts";
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
import { addNote, newNote } from "#shared/memory/note-store.ts";
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
