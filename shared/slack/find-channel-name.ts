import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { log } from "../lib/log.ts";
import { openWorkspaceClient } from "./workspace-client.ts";

/**
 * Returns the name of a Slack channel for display, or null if Slack does not return it, for example without the scope
 * `channels:read`. Errors are only logged, because nothing but a label depends on the name.
 */
export async function findChannelName(
  scope: TenantScope,
  workspaceId: string,
  channelId: string,
): Promise<string | null> {
  try {
    const client = await openWorkspaceClient(scope, workspaceId);
    const reply = await client?.call("conversations.info", { channel: channelId });
    const { name } = (reply?.channel ?? {}) as { readonly name?: unknown };
    return typeof name === "string" && name !== "" ? name : null;
  } catch (error) {
    log.info("slack channel without a name", { workspace_id: workspaceId, error });
    return null;
  }
}
