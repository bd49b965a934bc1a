import * as v from "valibot";

/** Service with which people write to the assistant. */
export const Messenger = v.picklist(["slack", "teams"]);
export type Messenger = v.InferOutput<typeof Messenger>;

/** Reference to a message or a button press in a messenger that the service handles. */
export const MessengerEventRef = v.object({
  messenger: Messenger,
  workspace_id: v.string(),
  event_id: v.string(),
});
export type MessengerEventRef = v.InferOutput<typeof MessengerEventRef>;

/** Attribute of a run, its answer and its approvals that names the message that is answered. */
export const answeredEvent = { messenger_event: v.optional(MessengerEventRef) };
