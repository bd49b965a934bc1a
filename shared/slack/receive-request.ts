import * as v from "valibot";
import { MAX_ATTACHMENTS } from "../api/conversations/attachment-limits.ts";
import type { SlackPrincipal } from "../auth/principal.ts";
import { parseJson } from "../lib/parse-json.ts";
import { truncate } from "../lib/truncate.ts";
import { recordEvent, type StoredEvent } from "../messengers/event-store.ts";
import { findThreadConversation } from "../messengers/thread-store.ts";
import { removeToken } from "./app/installation-store.ts";
import { mrkdwnToPlainText } from "./mrkdwn.ts";

/** Maximum length of a question, as in the API. */
const MAX_CHARACTERS = 32_000;

const Name = v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,40}$/));
const Time = v.pipe(v.string(), v.regex(/^\d{1,12}\.\d{1,9}$/));

const Files = v.fallback(v.array(v.looseObject({ id: Name })), []);

/** Attachments of a message. Only shared and linked messages are used, not previews of web pages. */
const Attachment = v.object({
  is_share: v.fallback(v.boolean(), false),
  is_msg_unfurl: v.fallback(v.boolean(), false),
  author_name: v.fallback(v.string(), ""),
  text: v.fallback(v.string(), ""),
  files: Files,
});

/**
 * Fields of the events `app_mention` and `message` that are used. A reply that is also sent to the channel has the subtype
 * `thread_broadcast`.
 */
const MessageEvent = v.object({
  type: v.picklist(["app_mention", "message"]),
  channel: Name,
  channel_type: v.optional(v.string()),
  user: Name,
  text: v.optional(v.string(), ""),
  ts: Time,
  thread_ts: v.optional(Time),
  subtype: v.optional(v.picklist(["file_share", "thread_broadcast"])),
  bot_id: v.optional(v.never()),
  files: Files,
  attachments: v.fallback(v.array(Attachment), []),
});

const EventCallback = v.object({ type: v.literal("event_callback"), team_id: v.string(), event: MessageEvent });

const BlockActions = v.object({
  type: v.literal("block_actions"),
  team: v.object({ id: v.string() }),
  user: v.object({ id: Name, username: v.optional(v.string()) }),
  channel: v.object({ id: Name, name: v.optional(v.string()) }),
  message: v.object({ ts: Time, thread_ts: v.optional(Time) }),
  actions: v.tuple([
    v.object({
      action_id: v.picklist(["approve", "deny"]),
      value: v.pipe(v.string(), v.regex(/^[0-9a-f-]{36}$/)),
      action_ts: Time,
    }),
  ]),
});

/** Events after which the token is no longer valid. */
const RemovalCallback = v.object({
  type: v.literal("event_callback"),
  team_id: v.string(),
  event_time: v.number(),
  event: v.variant("type", [
    v.object({ type: v.literal("app_uninstalled") }),
    v.object({ type: v.literal("tokens_revoked"), tokens: v.object({ bot: v.optional(v.array(v.string()), []) }) }),
  ]),
});

async function applyRemoval(
  principal: SlackPrincipal,
  { team_id, event_time, event }: v.InferOutput<typeof RemovalCallback>,
): Promise<void> {
  if (team_id !== principal.teamId) return;
  const isOfBot = event.type === "app_uninstalled" || event.tokens.bot.includes(principal.botUserId ?? "");
  if (isOfBot) await removeToken(principal, principal.keyId, event.type, event_time * 1_000);
}

type Received = StoredEvent | null;

/** Returns the text of a message with the messages that it shares as quotes. */
function toQuestion(
  text: string,
  shared: readonly v.InferOutput<typeof Attachment>[],
  botUserId: string | null,
): string {
  const quotes = shared.flatMap(({ author_name, text: quoted }) => {
    const plain = mrkdwnToPlainText(quoted, null);
    if (plain === "") return [];
    return `${author_name === "" ? "" : `${author_name}:\n`}${plain.replaceAll(/^/gm, "> ")}`;
  });
  return [mrkdwnToPlainText(text, botUserId), ...quotes].filter(Boolean).join("\n\n");
}

async function toMessage(
  { event, team_id }: v.InferOutput<typeof EventCallback>,
  principal: SlackPrincipal,
  base_url: string,
): Promise<Received> {
  const { type, channel, channel_type, user, text, ts, thread_ts = ts } = event;
  const shared = event.attachments.filter(({ is_share, is_msg_unfurl }) => is_share || is_msg_unfurl);
  // One more than a message may have, so that its answer tells that others are left out.
  const files = [event, ...shared].flatMap((each) => each.files.map(({ id }) => id)).slice(0, MAX_ATTACHMENTS + 1);
  if (team_id !== principal.teamId || user === principal.botUserId) return null;
  const is_direct = channel_type === "im";
  const thread = { messenger: "slack", workspace_id: principal.keyId, channel, thread_id: thread_ts } as const;
  // A mention in a channel arrives as `app_mention` and as `message`: both have the same key, and the first one counts.
  const isMention = type === "app_mention" || text.includes(`<@${principal.botUserId}>`);
  if (!isMention && !is_direct && (event.thread_ts === undefined || !(await findThreadConversation(principal, thread))))
    return null;
  return {
    ...thread,
    kind: "message",
    event_id: `${channel}#${ts}`,
    state: "received",
    account_id: user,
    account_name: null,
    is_direct,
    base_url,
    text: truncate(toQuestion(text, shared, principal.botUserId), MAX_CHARACTERS),
    ...(files.length > 0 && { files }),
  };
}

function toAction(
  { team, user, channel, message, actions: [action] }: v.InferOutput<typeof BlockActions>,
  principal: SlackPrincipal,
  base_url: string,
): Received {
  if (team.id !== principal.teamId) return null;
  return {
    kind: "action",
    messenger: "slack",
    workspace_id: principal.keyId,
    event_id: `action#${action.value}#${user.id}#${action.action_ts}`,
    state: "received",
    channel: channel.id,
    thread_id: message.thread_ts ?? message.ts,
    account_id: user.id,
    account_name: user.username ?? null,
    is_direct: channel.name === "directmessage",
    base_url,
    approval_id: action.value,
    decision: action.action_id,
    card_id: message.ts,
  };
}

/** Returns the payload of a request. For interactivity, Slack sends it as JSON in a form field. */
export const parseSlackPayload = (body: Readonly<Record<string, unknown>>): unknown =>
  typeof body.payload === "string" ? parseJson(body.payload) : body;

/**
 * Stores the event of a verified Slack request. It is processed after the response, because Slack waits only 3 s.
 * Unknown events are accepted and ignored, because Slack disables an app whose requests fail.
 * @param principal null if the request belongs to no workspace
 * @returns the challenge of a `url_verification`, or whether the event is already stored
 */
export async function receiveSlackRequest(
  principal: SlackPrincipal | null,
  body: Readonly<Record<string, unknown>>,
  baseUrl: string,
): Promise<{ readonly challenge?: string; readonly isDuplicate?: boolean }> {
  if (body.type === "url_verification") return { challenge: String(body.challenge) };
  if (!principal) return {};
  const payload = parseSlackPayload(body);
  const removal = v.safeParse(RemovalCallback, payload);
  if (removal.success) await applyRemoval(principal, removal.output);
  const [message, action] = [v.safeParse(EventCallback, payload), v.safeParse(BlockActions, payload)];
  const received = message.success
    ? await toMessage(message.output, principal, baseUrl)
    : action.success
      ? toAction(action.output, principal, baseUrl)
      : null;
  return received ? { isDuplicate: !(await recordEvent(principal, received)) } : {};
}
