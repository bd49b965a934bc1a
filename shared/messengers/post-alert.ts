import { findMessage } from "../conversations/message-store.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { findInvestigation } from "../investigations/investigation-store.ts";
import { renderPlainResult } from "../investigations/render-plain-result.ts";
import { now } from "../lib/clock.ts";
import { truncate } from "../lib/truncate.ts";
import type { Alert } from "../webhooks/adapters/types.ts";
import type { StoredWebhookChannel } from "../webhooks/webhook-channel-store.ts";
import type { Markup, MessengerClient } from "./client.ts";
import { claimPost, findEvent, type MessengerAlert, postedWrite, recordEvent } from "./event-store.ts";
import { scheduleMessengerJob } from "./schedule.ts";
import { threadWrite } from "./thread-store.ts";

const MAX_CHARACTERS = 2_500;

/** Alert, or result of an investigation, to post to a channel of a messenger. */
type NewPost = Pick<
  MessengerAlert,
  "messenger" | "workspace_id" | "channel" | "base_url" | "conversation_id" | "alert_id" | "investigation_id"
>;

const eventIdOf = (alertMessageId: string) => `alert#${alertMessageId}`;

export const placesOf = ({ slack, teams }: Pick<StoredWebhookChannel, "slack" | "teams">) => [
  ...(slack ? [{ messenger: "slack" as const, ...slack }] : []),
  ...(teams ? [{ messenger: "teams" as const, ...teams }] : []),
];

/** Stores a post. The rule `start-messenger-work` schedules its processing. Idempotent. */
export async function recordPost(scope: TenantScope, post: NewPost): Promise<void> {
  await recordEvent(scope, {
    ...post,
    kind: "alert",
    event_id: post.investigation_id ? `result#${post.investigation_id}` : eventIdOf(post.alert_id),
    state: "received",
    thread_id: "",
    account_id: "",
    account_name: null,
    is_direct: false,
  });
}

/** Renders an alert. All markup in its texts is escaped, because they are untrusted. */
function renderAlert({ severity, state, title, description }: Alert, markup: Markup): string {
  const heading = [severity.toUpperCase(), state, title].filter(Boolean).join(" · ");
  return `${markup.strong(markup.escape(truncate(heading, 300)))}\n${markup.escape(truncate(description, MAX_CHARACTERS))}`;
}

const renderRoot = (alert: Alert, { base_url, conversation_id }: MessengerAlert, markup: Markup) =>
  `${renderAlert(alert, markup)}\n${markup.link(`${base_url}/console/chat/${conversation_id}`, "Open the conversation")}`;

async function postRoot(
  scope: TenantScope,
  client: MessengerClient,
  event: MessengerAlert,
  alert: Alert,
): Promise<void> {
  const id = await client.post(event, renderRoot(alert, event, client.markup));
  await tenantTable(scope).transact([
    postedWrite(scope, event, id),
    threadWrite(scope, { ...event, thread_id: id }, event.conversation_id, undefined, event.alert_id),
  ]);
}

/**
 * Returns the text of a reply to the incident's first message: a later alert, or the result of the investigation. Null
 * if there is no result.
 */
async function renderReply(
  scope: TenantScope,
  event: MessengerAlert,
  alert: Alert,
  markup: Markup,
): Promise<string | null> {
  const { conversation_id, investigation_id: id } = event;
  if (!id) return renderAlert(alert, markup);
  const investigation = await findInvestigation(scope, { id, conversation_id });
  const text = investigation && renderPlainResult(investigation);
  return text ? markup.escape(truncate(text, MAX_CHARACTERS)) : null;
}

/**
 * Schedules another attempt for a post that another function owns, because that function may have died. Otherwise, SQS
 * would repeat its message only after 90 minutes.
 */
async function lookAgain(scope: TenantScope, event: MessengerAlert): Promise<void> {
  const current = await findEvent(scope, event);
  if (current?.kind !== "alert" || current.state !== "posting") return;
  const seconds = Math.ceil(((current.claimed_until ?? 0) - now()) / 1_000) + 1;
  await scheduleMessengerJob({ ...scope, messengerEvent: event, step: "start" }, [Math.max(1, seconds)]);
}

/**
 * Posts the first alert of an incident to the channel. Posts later alerts to the thread of the first one, and updates
 * the state in its text. Questions in the thread belong to the alert's thread in the conversation.
 */
export async function postAlert(scope: TenantScope, client: MessengerClient, event: MessengerAlert): Promise<void> {
  const { conversation_id, alert_id: alertMessageId } = event;
  const message = await findMessage(scope, conversation_id, alertMessageId);
  const alert = message?.alert as Alert | null | undefined;
  if (!message || !alert) return;
  const isRoot = message.parent_id === null && !event.investigation_id;
  const rootId = message.parent_id ?? alertMessageId;
  const root = isRoot ? undefined : await findEvent(scope, { ...event, event_id: eventIdOf(rootId) });
  const threadId = root?.kind === "alert" ? root.posted_id : undefined;
  // The second message of the queue comes a minute later, when the first event of the incident is posted.
  if (!isRoot && !threadId) return;
  if (!(await claimPost(scope, event))) return lookAgain(scope, event);
  if (isRoot) return postRoot(scope, client, event, alert);
  const text = await renderReply(scope, event, alert, client.markup);
  if (text) await client.post(event, text, threadId);
  const first = event.investigation_id ? undefined : (await findMessage(scope, conversation_id, rootId))?.alert;
  if (first && threadId) {
    const current = { ...(first as unknown as Alert), state: alert.state };
    await client.edit(event, threadId, renderRoot(current, event, client.markup));
  }
  await tenantTable(scope).write(postedWrite(scope, event, threadId ?? ""));
}
