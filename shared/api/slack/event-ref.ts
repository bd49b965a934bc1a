import * as v from "valibot";

/** Message or button press of Slack that the service handles. */
export const SlackEventRef = v.object({ workspace_id: v.string(), event_id: v.string() });
export type SlackEventRef = v.InferOutput<typeof SlackEventRef>;
