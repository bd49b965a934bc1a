import * as v from "valibot";
import { MAX_ATTACHMENTS } from "../api/conversations/attachment-limits.ts";
import type { TeamsPrincipal } from "../auth/principal.ts";
import { truncate } from "../lib/truncate.ts";
import { type MessengerFile, recordEvent, type StoredEvent } from "../messengers/event-store.ts";
import { findThreadConversation } from "../messengers/thread-store.ts";
import { connectOrganization } from "./workspace-store.ts";

/** Maximum length of a question, as in the API. */
const MAX_CHARACTERS = 32_000;

const Name = v.pipe(v.string(), v.minLength(1), v.maxLength(300));
const Uuid = v.pipe(v.string(), v.uuid(), v.toLowerCase());

/** Fields that are used of every activity. */
const activity = {
  id: Name,
  serviceUrl: v.string(),
  from: v.object({ id: Name, aadObjectId: Uuid, name: v.optional(v.string()) }),
  recipient: v.object({ id: Name }),
  conversation: v.object({ id: Name, conversationType: v.picklist(["personal", "channel", "groupChat"]) }),
  channelData: v.object({ tenant: v.object({ id: Uuid }) }),
};

const Attachment = v.object({
  contentType: v.string(),
  contentUrl: v.optional(v.string()),
  name: v.optional(v.string()),
  content: v.optional(v.unknown()),
});

const MessageActivity = v.object({
  ...activity,
  type: v.literal("message"),
  text: v.optional(v.string(), ""),
  entities: v.fallback(
    v.array(
      v.looseObject({
        type: v.string(),
        text: v.optional(v.string()),
        mentioned: v.optional(v.looseObject({ id: v.string() })),
      }),
    ),
    [],
  ),
  attachments: v.fallback(v.array(Attachment), []),
});
type MessageActivity = v.InferOutput<typeof MessageActivity>;

/** Activity that Teams sends when a user presses a button of an Adaptive Card (Universal Actions). */
const ActionActivity = v.object({
  ...activity,
  type: v.literal("invoke"),
  name: v.literal("adaptiveCard/action"),
  replyToId: Name,
  value: v.object({
    action: v.object({
      verb: v.picklist(["approve", "deny"]),
      data: v.object({ approval_id: v.pipe(v.string(), v.regex(/^[0-9a-f-]{36}$/)) }),
    }),
  }),
});
type ActionActivity = v.InferOutput<typeof ActionActivity>;

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
  "&quot;": '"',
  "&nbsp;": " ",
};

/** Returns the text of a message without the mention of the bot. Other mentions become names. */
function toPlainText({ text, entities: parts, recipient }: Pick<MessageActivity, "text" | "entities" | "recipient">) {
  let plain = text;
  // Each is searched for in the whole text, so that their number is bounded.
  for (const { type, text: mention, mentioned } of parts.slice(0, 50)) {
    if (type !== "mention" || !mention) continue;
    const name = mention.replaceAll(/<[^<>]*>/g, "");
    plain = plain.replaceAll(mention, mentioned?.id === recipient.id ? "" : `@${name}`);
  }
  return plain.replaceAll(/&(?:lt|gt|amp|quot|nbsp);/g, (entity) => entities[entity] ?? entity).trim();
}

/**
 * Returns channel and thread of an activity. A chat counts as one thread per person, so that each person has a separate
 * conversation.
 */
function placeOf({ id, conversation, from }: Pick<MessageActivity, "id" | "conversation" | "from">) {
  const [channel = "", root = id] = conversation.id.split(";messageid=");
  const isChannel = conversation.conversationType === "channel";
  return { channel, thread_id: isChannel ? root : `chat-${from.aadObjectId}` };
}

function sharedFields(principal: TeamsPrincipal, received: MessageActivity | ActionActivity, base_url: string) {
  const { from, conversation, serviceUrl } = received;
  return {
    messenger: "teams",
    workspace_id: principal.keyId,
    state: "received",
    ...placeOf(received),
    account_id: from.aadObjectId,
    account_name: from.name ?? null,
    is_direct: conversation.conversationType === "personal",
    base_url,
    service_url: serviceUrl,
    sender_id: from.id,
  } as const;
}

const FileInfo = v.object({ downloadUrl: v.string() });

/** Returns the downloadable files of a message. Other attachments are cards and the HTML form of the text. */
const filesOf = (attachments: MessageActivity["attachments"]): MessengerFile[] =>
  attachments.flatMap(({ contentType, contentUrl, name, content }) => {
    if (contentType === "application/vnd.microsoft.teams.file.download.info") {
      const info = v.safeParse(FileInfo, content);
      return info.success ? [{ name: name ?? "file", url: info.output.downloadUrl }] : [];
    }
    const [, format] = /^image\/(\w+)/.exec(contentType) ?? [];
    return format && contentUrl ? [{ name: name ?? `image.${format}`, url: contentUrl }] : [];
  });

async function toMessage(
  principal: TeamsPrincipal,
  message: MessageActivity,
  baseUrl: string,
): Promise<StoredEvent | null> {
  const { recipient, conversation, entities: parts } = message;
  const fields = sharedFields(principal, message, baseUrl);
  const isMention = parts.some(({ type, mentioned }) => type === "mention" && mentioned?.id === recipient.id);
  const isAddressed = isMention || conversation.conversationType === "personal";
  // A team can let the bot read all messages of its channels.
  if (!isAddressed && !(await findThreadConversation(principal, fields))) return null;
  const plain = toPlainText(message);
  const startsNew = /^\/new(?:\s|$)/.test(plain);
  const files = filesOf(message.attachments).slice(0, MAX_ATTACHMENTS + 1);
  return {
    ...fields,
    kind: "message",
    event_id: `${fields.channel}#${message.id}`,
    text: truncate(startsNew ? plain.slice(4).trim() : plain, MAX_CHARACTERS),
    ...(startsNew && { starts_new: true }),
    ...(files.length > 0 && { files }),
  };
}

const toAction = (principal: TeamsPrincipal, received: ActionActivity, baseUrl: string): StoredEvent => ({
  ...sharedFields(principal, received, baseUrl),
  kind: "action",
  event_id: `action#${received.value.action.data.approval_id}#${received.from.aadObjectId}#${received.id}`,
  approval_id: received.value.action.data.approval_id,
  decision: received.value.action.verb,
  card_id: received.replyToId,
});

/**
 * Connects the Teams organization of a message to the workspace if the message contains the code of an administrator.
 * @returns the notice for the sender, or null if the message has no code
 */
async function connect(
  principal: TeamsPrincipal,
  message: MessageActivity,
  baseUrl: string,
): Promise<StoredEvent | null> {
  const [, code] = /^connect\s+([\w-]{16,64})$/i.exec(toPlainText(message)) ?? [];
  if (code === undefined) return null;
  const organization = { teams_tenant_id: message.channelData.tenant.id, service_url: message.serviceUrl };
  const isConnected = await connectOrganization(principal, principal.keyId, code, organization);
  const fields = sharedFields(principal, message, baseUrl);
  const text = isConnected
    ? "Your organization is connected. Ask me a question."
    : "The code is unknown, used or expired. Create another one.";
  return { ...fields, kind: "notice", event_id: `${fields.channel}#${message.id}`, text };
}

/** Response to an activity. Teams shows `value` to the user who pressed a button. */
interface ActivityReply {
  readonly statusCode?: number;
  readonly type?: string;
  readonly value?: string;
  readonly isDuplicate?: boolean;
}

/**
 * Stores the event of a verified activity. It is processed after the response, because Teams waits only a few seconds.
 * Unknown activities, and those of organizations that are not connected, are accepted and ignored.
 */
export async function receiveActivity(
  principal: TeamsPrincipal,
  body: unknown,
  baseUrl: string,
): Promise<ActivityReply> {
  const [message, action] = [v.safeParse(MessageActivity, body), v.safeParse(ActionActivity, body)];
  const received = message.success ? message.output : action.success ? action.output : null;
  if (!received) return {};
  const isConnected = principal.teamsTenantId !== null;
  if (isConnected && received.channelData.tenant.id !== principal.teamsTenantId) return {};
  if (received.type === "invoke") {
    if (!isConnected) return {};
    const isNew = await recordEvent(principal, toAction(principal, received, baseUrl));
    const shown = {
      statusCode: 200,
      type: "application/vnd.microsoft.activity.message",
      value: "Your decision is applied.",
    };
    return { ...shown, isDuplicate: !isNew };
  }
  const event = await (isConnected ? toMessage : connect)(principal, received, baseUrl);
  return event ? { isDuplicate: !(await recordEvent(principal, event)) } : {};
}
