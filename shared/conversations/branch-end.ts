import { blocksToMarkdown } from "../client/blocks-to-markdown.ts";
import { type BranchMessage, BranchReader } from "../client/branch.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { truncate } from "../lib/truncate.ts";
import type { StoredConversation } from "./conversation-store.ts";
import { listMessages, type StoredMessage } from "./message-store.ts";

/** Messages that are read to find those on the branch that readers see. */
const READ_MESSAGES = 60;

export interface PlainMessage extends Pick<StoredMessage, "role" | "created_at"> {
  /** Markdown. */
  readonly text: string;
}

/** Returns the last messages of the branch that readers see, oldest first, without threads. */
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
