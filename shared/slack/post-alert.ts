import type { Alert } from "../channels/adapters/types.ts";
import { findMessage } from "../conversations/message-store.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { findInvestigation } from "../investigations/investigation-store.ts";
import { renderResult } from "../investigations/updates/post-result.ts";
import { truncate } from "../lib/truncate.ts";
import { claimPost, findSlackEvent, postedWrite, recordSlackEvent, type SlackAlert } from "./event-store.ts";
import { escapeText } from "./mrkdwn.ts";
import { threadWrite } from "./thread-store.ts";
import type { WorkspaceClient } from "./workspace-client.ts";

const MAX_CHARACTERS = 2_500;

/** Name of the metadata by which a message that was posted before a crash is found again. */
const METADATA_TYPE = "switchboard_alert";

/** Alert, or end of an investigation, that is posted to a channel of Slack. */
type NewPost = Pick<
  SlackAlert,
  "workspace_id" | "channel" | "base_url" | "conversation_id" | "alert_id" | "investigation_id"
>;

const eventIdOf = (alertId: string) => `alert#${alertId}`;

/** Stores what is posted; the change feed schedules it. Idempotent. */
export async function recordPost(scope: TenantScope, post: NewPost): Promise<void> {
  await recordSlackEvent(scope, {
    ...post,
    kind: "alert",
    event_id: post.investigation_id ? `result#${post.investigation_id}` : eventIdOf(post.alert_id),
    state: "received",
    thread_ts: "",
    slack_user: "",
    slack_user_name: null,
    is_direct: false,
  });
}

/** Renders an alert. Its text is written by others, so nothing in it is markup. */
function renderAlert({ severity, state, title, description }: Alert): string {
  const heading = [severity.toUpperCase(), state, title].filter(Boolean).join(" · ");
  return `*${escapeText(truncate(heading, 300))}*\n${escapeText(truncate(description, MAX_CHARACTERS))}`;
}

/** Posts a text to the channel, or to a thread, unless a function that died has posted it. @returns the time of the message */
async function postOnce(
  { call }: WorkspaceClient,
  event: SlackAlert,
  text: string,
  thread_ts?: string,
): Promise<string> {
  const { channel, event_id, state } = event;
  const thread = thread_ts === undefined ? {} : { thread_ts };
  if (state === "posting") {
    const page = { ...(thread_ts === undefined ? {} : { ts: thread_ts }), limit: 50, include_all_metadata: true };
    const method = thread_ts === undefined ? "conversations.history" : "conversations.replies";
    const { messages } = await call(method, { channel, ...page });
    const found = ((messages ?? []) as { ts?: string; metadata?: { event_payload?: { id?: string } } }[]).find(
      ({ metadata }) => metadata?.event_payload?.id === event_id,
    );
    if (found?.ts) return found.ts;
  }
  const metadata = { event_type: METADATA_TYPE, event_payload: { id: event_id } };
  const fields = { channel, ...thread, text, metadata, unfurl_links: false, unfurl_media: false };
  return String((await call("chat.postMessage", fields)).ts);
}

const withLink = (text: string, { base_url, conversation_id }: SlackAlert) =>
  `${text}\n<${base_url}/console/chat/${conversation_id}|Open the conversation>`;

async function postRoot(scope: TenantScope, client: WorkspaceClient, event: SlackAlert, alert: Alert): Promise<void> {
  const { channel, workspace_id, conversation_id, alert_id } = event;
  const ts = await postOnce(client, event, withLink(renderAlert(alert), event));
  const thread = { workspace_id, channel, thread_ts: ts };
  await tenantTable(scope).transact([
    postedWrite(scope, event, ts),
    threadWrite(scope, thread, conversation_id, undefined, alert_id),
  ]);
}

/** Returns the text of a post below the first one: a later event of the incident, or the result of its investigation. */
async function renderReply(scope: TenantScope, event: SlackAlert, alert: Alert | undefined): Promise<string | null> {
  const { conversation_id, investigation_id: id } = event;
  if (!id) return alert ? renderAlert(alert) : null;
  const investigation = await findInvestigation(scope, { id, conversation_id });
  const text = investigation && renderResult(investigation);
  return text ? escapeText(truncate(text, MAX_CHARACTERS)) : null;
}

/**
 * Posts an alert to its channel, or a later event of its incident to the thread of the first one, whose text gets the new state.
 * A question in the thread continues the alert's thread.
 */
export async function postAlert(scope: TenantScope, client: WorkspaceClient, event: SlackAlert): Promise<void> {
  const { conversation_id, alert_id, channel } = event;
  const message = await findMessage(scope, conversation_id, alert_id);
  const alert = message?.alert as Alert | null | undefined;
  if (!message || !alert) return;
  const isRoot = message.parent_id === null && !event.investigation_id;
  const rootId = message.parent_id ?? alert_id;
  const root = isRoot ? undefined : await findSlackEvent(scope, { ...event, event_id: eventIdOf(rootId) });
  const thread_ts = root?.kind === "alert" ? root.posted_ts : undefined;
  // The second message of the queue comes a minute later, when the first event of the incident is posted.
  if (!isRoot && !thread_ts) return;
  if (!(await claimPost(scope, event))) return;
  if (isRoot) return postRoot(scope, client, event, alert);
  const text = await renderReply(scope, event, alert);
  if (text) await postOnce(client, event, text, thread_ts);
  const first = event.investigation_id ? undefined : (await findMessage(scope, conversation_id, rootId))?.alert;
  if (first) {
    const current = { ...(first as unknown as Alert), state: alert.state };
    await client.call("chat.update", { channel, ts: thread_ts, text: withLink(renderAlert(current), event) });
  }
  await tenantTable(scope).write(postedWrite(scope, event, thread_ts ?? ""));
}
