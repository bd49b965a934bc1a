import { type BranchMessage, BranchReader } from "../client/branch.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { truncate } from "../lib/truncate.ts";
import { blocksToMarkdown } from "../markdown/blocks-to-markdown.ts";
import type { StoredConversation } from "./conversation-store.ts";
import { listMessages, type StoredMessage } from "./message-store.ts";

/** Number of the latest messages among which those of the active branch are looked for. */
const READ_MESSAGES = 60;

interface PlainMessage extends Pick<StoredMessage, "role" | "created_at"> {
  readonly text: string;
}

/** Returns the last messages of the active branch without threads, oldest first, with truncated texts. */
export async function readBranchEnd(
  scope: TenantScope,
  { id, active_message_id }: Pick<StoredConversation, "id" | "active_message_id">,
  limits: { readonly messages: number; readonly characters: number },
): Promise<PlainMessage[]> {
  const { entries } = await listMessages(scope, id, { order: "desc", limit: READ_MESSAGES });
  const branch = new BranchReader(active_message_id ? { after_id: active_message_id } : {});
  return entries
    .filter(({ parent_id }) => parent_id === null)
    .filter((message) => message.role !== "system" && branch.accepts(message as BranchMessage))
    .slice(0, limits.messages)
    .reverse()
    .map(({ role, content, created_at }) => ({
      role,
      text: truncate(blocksToMarkdown(content), limits.characters),
      created_at,
    }));
}
