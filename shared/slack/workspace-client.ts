import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { log } from "../lib/log.ts";
import { findWorkspace, recordWorkspaceError } from "../messengers/workspace-store.ts";
import { getBotToken } from "./app/bot-token.ts";
import { callSlack, type DownloadedFile, downloadSlackFile, isRefusedToken, type SlackReply } from "./slack-client.ts";
import { type StoredSlackWorkspace, slackWorkspaces } from "./workspace-store.ts";

export interface WorkspaceClient {
  readonly workspace: StoredSlackWorkspace;
  /**
   * Calls a method of the Web API. If Slack refuses the token, the error code is stored for administrators.
   * @throws SlackError
   */
  call(this: void, method: string, fields: Readonly<Record<string, unknown>>): Promise<SlackReply>;
  /**
   * Downloads a file with the token of the workspace.
   * @throws SlackError
   */
  download(this: void, url: string, maxBytes: number): Promise<DownloadedFile>;
}

/**
 * Connects to a workspace.
 * @returns null if it was removed, is disabled, or has no token
 */
export async function openWorkspaceClient(scope: TenantScope, id: string): Promise<WorkspaceClient | null> {
  const workspace = await findWorkspace(slackWorkspaces, scope, id);
  const token = workspace?.enabled ? await getBotToken(scope, workspace) : null;
  if (!workspace || token === null) {
    log.info("slack workspace not usable", { workspace_id: id });
    return null;
  }
  const call: WorkspaceClient["call"] = async (method, fields) => {
    try {
      return await callSlack(token, method, fields);
    } catch (error) {
      if (isRefusedToken(error)) await recordWorkspaceError(slackWorkspaces, scope, id, error.code);
      throw error;
    }
  };
  return { workspace, call, download: (url, maxBytes) => downloadSlackFile(token, url, maxBytes) };
}
