import * as v from "valibot";

/** Service with which people write to the assistant. */
export const Messenger = v.picklist(["slack", "teams"]);
export type Messenger = v.InferOutput<typeof Messenger>;

/**
 * Reference to a message or a button press in a messenger that the service handles. One without `messenger` is to an
 * event of Slack.
 */
export const MessengerEventRef = v.object({
  messenger: v.optional(Messenger, "slack"),
  workspace_id: v.string(),
  event_id: v.string(),
});
export type MessengerEventRef = v.InferOutput<typeof MessengerEventRef>;

/** Attributes of a run, its answer and its approvals that name the message that is answered. */
export const answeredEvent = {
  messenger_event: v.optional(MessengerEventRef),
  /** Name of the attribute in items from before other messengers than Slack. */
  slack_event: v.optional(MessengerEventRef),
};

/** Returns the message that a run, answer or approval belongs to. */
export const findAnsweredEvent = (
  item: { readonly messenger_event?: MessengerEventRef; readonly slack_event?: MessengerEventRef } | undefined,
): MessengerEventRef | undefined => item?.messenger_event ?? item?.slack_event;
