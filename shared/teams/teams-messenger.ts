import { MAX_ATTACHMENT_BYTES } from "../api/conversations/attachment-limits.ts";
import { MEBIBYTE } from "../api/limits.ts";
import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import { log } from "../lib/log.ts";
import { type Markup, type MessengerClient, UnreadableFile } from "../messengers/client.ts";
import type { StoredEvent } from "../messengers/event-store.ts";
import { findWorkspace, recordWorkspaceError } from "../messengers/workspace-store.ts";
import { teamsAnswer } from "./answer-transport.ts";
import { openSecret } from "./app-secret.ts";
import { decisionCard } from "./cards.ts";
import { callConnector, downloadFile, TeamsError } from "./connector.ts";
import { teamsWorkspaces } from "./workspace-store.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeHtml = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);

const markup: Markup = {
  escape: escapeHtml,
  strong: (text) => `<b>${text}</b>`,
  link: (url, label) => `<a href="${escapeHtml(url)}">${label}</a>`,
};

const toMessage = (text: string) => ({ type: "message", textFormat: "xml", text: text.replaceAll("\n", "<br>") });

const reasons: Readonly<Record<string, string>> = {
  too_large: `It has more than ${MAX_ATTACHMENT_BYTES / MEBIBYTE} MiB.`,
  status_401: "Its address is not valid any more. Send it again.",
  status_403: "Its address is not valid any more. Send it again.",
};

/** Returns the id of a conversation in Teams. In channels, it contains the id of the thread's first message. */
const conversationOf = (channel: string, threadId: string) =>
  /^\d+$/.test(threadId) ? `${channel};messageid=${threadId}` : channel;

/**
 * Connects to a Teams workspace.
 * @returns null if it was removed, is disabled, or has no secret
 */
export async function openTeams(scope: TenantScope, workspaceId: string): Promise<MessengerClient | null> {
  const workspace = await findWorkspace(teamsWorkspaces, scope, workspaceId);
  const secret = workspace?.enabled ? await openSecret(scope, workspace) : null;
  if (!workspace?.app_id || secret === null) {
    log.info("teams workspace not usable", { workspace_id: workspaceId });
    return null;
  }
  const { app_id, app_tenant_id, teams_tenant_id, service_url } = workspace;
  const credentials = { app_id, app_tenant_id, secret };
  const bot = { id: `28:${app_id}` };

  const call = async (
    event: StoredEvent,
    method: "POST" | "PUT",
    path: string,
    body: Readonly<Record<string, unknown>>,
  ) => {
    try {
      return await callConnector(credentials, event.service_url ?? service_url ?? "", method, path, body);
    } catch (error) {
      const isRefused = error instanceof TeamsError && /^(?:invalid|unauthorized)_client$/.test(error.code);
      if (isRefused) await recordWorkspaceError(teamsWorkspaces, scope, workspaceId, error.code);
      throw error;
    }
  };
  const send = async (event: StoredEvent, conversation: string, activity: Readonly<Record<string, unknown>>) =>
    String((await call(event, "POST", `/${encodeURIComponent(conversation)}/activities`, activity)).id);
  const replace = async (
    event: StoredEvent,
    conversation: string,
    id: string,
    activity: Readonly<Record<string, unknown>>,
  ) => {
    const path = `/${encodeURIComponent(conversation)}/activities/${encodeURIComponent(id)}`;
    await call(event, "PUT", path, { ...activity, id });
  };
  const threadOf = ({ channel, thread_id }: StoredEvent) => conversationOf(channel, thread_id);

  /** Sends a text in the private chat of a person with the bot. */
  const tellInPrivate = async (event: StoredEvent, text: string) => {
    const members = [{ id: event.sender_id }];
    const chat = await call(event, "POST", "", { isGroup: false, bot, members, tenantId: teams_tenant_id });
    await send(event, String(chat.id), toMessage(text));
  };

  return {
    name: "Teams",
    personaId: workspace.persona_id,
    markup,
    tell: async (event, text) => {
      if (event.is_direct || event.kind === "notice") return void (await send(event, threadOf(event), toMessage(text)));
      try {
        await tellInPrivate(event, text);
      } catch (error) {
        if (!(error instanceof TeamsError && error.status === 403)) throw error;
        // Others read this place, so that it cannot contain the text.
        const hint = "I cannot write to you in private. Add the app to your chats, and ask there or here again.";
        await send(event, threadOf(event), toMessage(hint));
      }
    },
    findName: async ({ account_name }) => account_name,
    answerTransport: (message) =>
      teamsAnswer({
        hasStreams: message.is_direct,
        send: (activity) => send(message, threadOf(message), activity),
        replace: (id, activity) => replace(message, threadOf(message), id, activity),
      }),
    openFile: async (file) => {
      if (typeof file === "string") throw new UnreadableFile("It is no file of Teams.");
      const file_name =
        file.name
          .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "")
          .slice(-255)
          .trim() || "file";
      return {
        file_name,
        download: async (maxBytes) => {
          try {
            return await downloadFile(credentials, file.url, maxBytes);
          } catch (error) {
            if (!(error instanceof TeamsError)) throw error;
            throw new UnreadableFile(reasons[error.code] ?? `Teams did not send it (${error.code}).`);
          }
        },
      };
    },
    askForDecision: async (event, intro, request, approvalId) =>
      void (await send(event, threadOf(event), decisionCard(intro, request, approvalId))),
    showDecision: async (action, request, isApproved) => {
      const outcome = `${isApproved ? "Approved" : "Denied"} by ${action.account_name ?? action.account_id}.`;
      await replace(action, threadOf(action), action.card_id, decisionCard(outcome, request));
    },
    post: async (event, text, threadId) => {
      if (threadId !== undefined) return send(event, conversationOf(event.channel, threadId), toMessage(text));
      const channelData = { channel: { id: event.channel }, tenant: { id: teams_tenant_id } };
      const thread = { isGroup: true, bot, tenantId: teams_tenant_id, channelData, activity: toMessage(text) };
      return String((await call(event, "POST", "", thread)).activityId);
    },
    edit: (event, id, text) => replace(event, conversationOf(event.channel, id), id, toMessage(text)),
  };
}
