import type { Rule } from "#shared/changes/processor.ts";
import { purgeConversation } from "#shared/data/conversation-purge.ts";

/** What has to go when something is deleted. */
export const rules: readonly Rule[] = [
  {
    id: "purge-conversation",
    on: ["conversation-deleted"],
    // The purge ends by removing the conversation's own item, which is such a change again, with nothing left to do.
    apply: async ({ after }) => {
      if (after) await purgeConversation(after);
    },
  },
];
