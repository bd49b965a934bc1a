import { keys } from "../../dynamodb/keys.ts";
import { type Condition, exists, notDeleted, type Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { notFound } from "../../lib/errors.ts";
import { folderChanged } from "./folder-store.ts";

/** Returns the writes that remove an expired conversation from its folder. They fail if another call has removed it. */
export function removeFromFolderWrites(
  { tenantId, userId }: UserScope,
  conversationId: string,
  folder: string,
): Write[] {
  return [
    {
      delete: keys.folderEntry(tenantId, folder, conversationId),
      condition: exists(),
    },
    {
      update: keys.folder(tenantId, userId, folder),
      add: { conversation_count: -1 },
      condition: exists(),
    },
  ];
}

const countWrite = (
  { tenantId, userId }: UserScope,
  folder: string,
  difference: 1 | -1,
  condition: Condition,
): Write => ({
  update: keys.folder(tenantId, userId, folder),
  add: { conversation_count: difference },
  condition,
});

/**
 * Returns the writes that add a conversation to a folder of its owner; none if `folder` is null. They fail with
 * `not_found` if the folder does not exist.
 */
export function addToFolderWrites(owner: UserScope, conversationId: string, folder: string | null): Write[] {
  if (folder === null) return [];
  const put = {
    ...keys.folderEntry(owner.tenantId, folder, conversationId),
    discriminator: "folder-entry",
    conversation_id: conversationId,
  };
  return [countWrite(owner, folder, 1, notDeleted(notFound)), { put }];
}

/**
 * Returns the writes that remove a conversation from a folder of its owner; none if `folder` is null. They fail with
 * `conflict` if the folder was purged concurrently.
 */
export function leaveFolderWrites(owner: UserScope, conversationId: string, folder: string | null): Write[] {
  if (folder === null) return [];
  return [
    countWrite(owner, folder, -1, exists(folderChanged)),
    { delete: keys.folderEntry(owner.tenantId, folder, conversationId) },
  ];
}

/** Returns the writes that move a conversation between folders of its owner; null stands for no folder. */
export function changeFolderWrites(
  owner: UserScope,
  conversationId: string,
  from: string | null,
  to: string | null,
): Write[] {
  if (from === to) return [];
  return [...leaveFolderWrites(owner, conversationId, from), ...addToFolderWrites(owner, conversationId, to)];
}
