import { keys } from "../../dynamodb/keys.ts";
import type { Condition, Write } from "../../dynamodb/table.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { folderChanged, folderExists } from "./folder-store.ts";

/** Returns the writes that remove a deleted conversation from its folder. They fail if it was removed already. */
export function removeFromFolderWrites(
  { tenantId, userId }: UserScope,
  conversationId: string,
  folder: string,
): Write[] {
  return [
    {
      delete: keys.folderEntry(tenantId, folder, conversationId),
      condition: { where: "attribute_exists(#pk)" },
    },
    {
      update: keys.folder(tenantId, userId, folder),
      add: { conversation_count: -1 },
      condition: { where: "attribute_exists(#pk)" },
    },
  ];
}

/**
 * Returns the writes that move a conversation from one folder of its owner to another; null stands for no folder. They
 * fail with `not_found` if the new folder does not exist.
 */
export function changeFolderWrites(
  owner: UserScope,
  conversationId: string,
  from: string | null,
  to: string | null,
): Write[] {
  const { tenantId, userId } = owner;
  if (from === to) return [];
  const countWrite = (folder: string, difference: number, condition: Condition): Write => ({
    update: keys.folder(tenantId, userId, folder),
    add: { conversation_count: difference },
    condition,
  });
  return [
    ...(from === null
      ? []
      : [
          countWrite(from, -1, { where: "attribute_exists(#pk)", onConditionFailed: folderChanged }),
          { delete: keys.folderEntry(tenantId, from, conversationId) },
        ]),
    ...(to === null
      ? []
      : [
          countWrite(to, 1, folderExists),
          {
            put: {
              ...keys.folderEntry(tenantId, to, conversationId),
              discriminator: "folder-entry",
              conversation_id: conversationId,
            },
          },
        ]),
  ];
}
