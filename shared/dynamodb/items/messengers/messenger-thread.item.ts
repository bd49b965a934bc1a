import { defineItem } from "../../define-item.ts";

export const messengerThreadItem = defineItem({
  type: "messenger-thread",
  keys: {
    /**
     * Conversation that belongs to a thread of a messenger; `thread` consists of the channel and the thread's id in the
     * messenger.
     */
    messengerThread: (tenant: string, workspace: string, thread: string) => ({
      pk: `${tenant}#slack-threads#${workspace}`,
      sk: thread,
    }),
  },
  partitionOf: { "slack-workspace": "", "teams-workspace": "" },
  recordsActor: [],
  processors: [],
  audit: false,
  erasedWith: "expiry",
});
