import { createFolder } from "#shared/api/conversations/folders.ts";
import { newFolder, newFolderWrites } from "#shared/conversations/folders/folder-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createFolder, async ({ principal, body, commit }) => {
  const folder = newFolder(body);
  return commit(folder, ...(await newFolderWrites(principal, folder)));
});
