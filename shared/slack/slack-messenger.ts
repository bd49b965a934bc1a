import type { TenantScope } from "../dynamodb/tenant-scope.ts";
import type { DecisionRequest, Markup, MessengerClient } from "../messengers/client.ts";
import { slackAnswer } from "./answer-transport.ts";
import { escapeText } from "./mrkdwn.ts";
import { openSlackFile } from "./open-file.ts";
import { openWorkspaceClient, type WorkspaceClient } from "./workspace-client.ts";

/** Type of the metadata with which alerts are posted, so that an attempt after a crash finds a posted alert. */
const METADATA_TYPE = "switchboard_alert";

const markup: Markup = {
  escape: escapeText,
  strong: (text) => `*${text}*`,
  link: (url, label) => `<${url}|${label}>`,
};

const withoutPreviews = { unfurl_links: false, unfurl_media: false };

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

const describe = ({ title, parameters }: DecisionRequest) =>
  `*${escapeText(title)}*\n\`\`\`${escapeText(parameters).replaceAll("`", "'")}\`\`\``;

const button = (action_id: "approve" | "deny", text: string, style: string, value: string) => ({
  type: "button",
  action_id,
  text: { type: "plain_text", text },
  style,
  value,
});

/** Returns the timestamp of an alert's message among the last 50 messages of its channel or thread, or undefined. */
async function findPosted(
  { call }: WorkspaceClient,
  channel: string,
  id: string,
  thread_ts: string | undefined,
): Promise<string | undefined> {
  const place = thread_ts === undefined ? {} : { ts: thread_ts };
  const method = thread_ts === undefined ? "conversations.history" : "conversations.replies";
  const { messages } = await call(method, { channel, ...place, limit: 50, include_all_metadata: true });
  const posted = (messages ?? []) as { ts?: string; metadata?: { event_payload?: { id?: string } } }[];
  return posted.find(({ metadata }) => metadata?.event_payload?.id === id)?.ts;
}

/**
 * Connects to a Slack workspace.
 * @returns null if it was removed, is disabled, or has no token
 */
export async function openSlack(scope: TenantScope, workspaceId: string): Promise<MessengerClient | null> {
  const client = await openWorkspaceClient(scope, workspaceId);
  if (!client) return null;
  const { call, workspace } = client;
  return {
    name: "Slack",
    personaId: workspace.persona_id,
    markup,
    tell: async ({ channel, thread_id: thread_ts, account_id, is_direct }, text) => {
      const message = { channel, thread_ts, text, ...withoutPreviews };
      if (is_direct) await call("chat.postMessage", message);
      else await call("chat.postEphemeral", { ...message, user: account_id });
    },
    findName: async ({ account_id, account_name }) => {
      if (account_name !== null) return account_name;
      const { user } = await call("users.info", { user: account_id }).catch(() => ({ user: null }));
      const { real_name, name } = (user ?? {}) as Readonly<Record<string, unknown>>;
      return [real_name, name].find((each): each is string => typeof each === "string" && each !== "") ?? null;
    },
    answerTransport: (message) => slackAnswer(message, workspace.team_id, call),
    openFile: (file) => openSlackFile(client, String(file)),
    askForDecision: async ({ channel, thread_id: thread_ts }, intro, request, approvalId) => {
      const elements = [
        button("approve", "Approve", "primary", approvalId),
        button("deny", "Deny", "danger", approvalId),
      ];
      const blocks = [section(`${intro}\n${describe(request)}`), { type: "actions", elements }];
      const text = "The assistant asks for an approval.";
      await call("chat.postMessage", { channel, thread_ts, ...withoutPreviews, text, blocks });
    },
    showDecision: async ({ channel, card_id: ts, account_id }, request, isApproved) => {
      const text = `${isApproved ? "Approved" : "Denied"} by <@${account_id}>.`;
      await call("chat.update", { channel, ts, text, blocks: [section(`${describe(request)}\n${text}`)] });
    },
    post: async ({ channel, event_id, kind, state }, text, thread_ts) => {
      const isRepeated = kind === "alert" && state === "posting";
      const found = isRepeated ? await findPosted(client, channel, event_id, thread_ts) : undefined;
      if (found) return found;
      const metadata = { event_type: METADATA_TYPE, event_payload: { id: event_id } };
      const place = { channel, ...(thread_ts !== undefined && { thread_ts }) };
      const fields = { ...place, text, ...(kind === "alert" && { metadata }), ...withoutPreviews };
      return String((await call("chat.postMessage", fields)).ts);
    },
    edit: async ({ channel }, ts, text) => void (await call("chat.update", { channel, ts, text })),
  };
}
