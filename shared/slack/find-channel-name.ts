import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { openWorkspaceClient } from "./workspace-client.ts";

/** Returns the name of a channel; null if Slack does not tell it, such as to an app without the scope `channels:read`. */
export async function findChannelName(
  scope: TenantScope,
  workspaceId: string,
  channelId: string,
): Promise<string | null> {
  const client = await openWorkspaceClient(scope, workspaceId);
  const reply = await client?.call("conversations.info", { channel: channelId }).catch(() => null);
  const { name } = (reply?.channel ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name !== "" ? name : null;
}
