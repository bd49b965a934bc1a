import type { Rule } from "#shared/changes/processor.ts";
import { scheduleWatch } from "#shared/chat/watch-run.ts";
import { timestamp } from "#shared/clock.ts";
import { purgeConversation } from "#shared/data/conversation-purge.ts";
import { conversationOf } from "#shared/data/conversation-store.ts";
import { noteUse } from "#shared/data/credential-store.ts";
import { endEmbedSession } from "#shared/data/embed-session-store.ts";
import { purgeFolder } from "#shared/data/folder-purge.ts";
import { moveGrants } from "#shared/data/grant-store.ts";
import { carryOut } from "#shared/data/held-effects.ts";
import { forgetConversation } from "#shared/data/memory-store.ts";
import { detachNotes } from "#shared/data/note-store.ts";
import type { Item } from "#shared/data/table.ts";
import { scopeOf } from "#shared/data/tenant-scope.ts";
import { unmapChannels } from "#shared/data/webhook-store.ts";
import type { KeyKind } from "#shared/domain/credentials.ts";

/** What follows elsewhere when something is deleted or changed. */
export const rules: readonly Rule[] = [
  {
    id: "note-key-use",
    // A key's counter appears with its first request of a minute: so its last use is known without costing a request anything.
    on: ["key-rate-created"],
    apply: async ({ after, timestamp: at }) => {
      if (after)
        await noteUse(scopeOf(String(after.pk)), after.key_kind as KeyKind, String(after.key_id), timestamp(at));
    },
  },
  {
    id: "unmap-webhooks",
    on: ["conversation-deleted"],
    apply: async ({ after }) => {
      if (after) await unmapChannels(scopeOf(String(after.pk)), String(after.id));
    },
  },
  {
    id: "watch-run",
    on: ["run-created"],
    apply: async ({ after }) => {
      if (after) await scheduleWatch({ ...scopeOf(String(after.pk)), messageId: String(after.message_id) });
    },
  },
  {
    id: "purge-conversation",
    on: ["conversation-deleted"],
    // The purge ends by removing the conversation's own item, which is such a change again, with nothing left to do.
    apply: async ({ after }) => {
      if (after) await purgeConversation(after);
    },
  },
  {
    id: "end-embed-session",
    // A session goes when its time is over, and with it what the visitor said.
    on: ["embed-session-deleted"],
    apply: async ({ before }) => {
      if (before) await endEmbedSession(scopeOf(String(before.pk)), String(before.conversation_id));
    },
  },
  {
    id: "purge-folder",
    on: ["folder-deleted"],
    apply: async ({ after }) => {
      if (after) await purgeFolder({ ...scopeOf(String(after.pk)), userId: String(after.owner_id) }, String(after.id));
    },
  },
  {
    id: "forget-conversation",
    on: ["conversation-deleted"],
    apply: async ({ after }) => {
      if (!after) return;
      const scope = scopeOf(String(after.pk));
      await Promise.all([forgetConversation(scope, String(after.id)), detachNotes(scope, String(after.id))]);
    },
  },
  {
    id: "carry-out-approval",
    on: ["approval-created", "approval-updated"],
    apply: async ({ after }) => {
      if (after?.status !== "approved" || after.result !== null) return;
      await carryOut(scopeOf(String(after.pk)), String(after.id));
    },
  },
  {
    id: "move-grants",
    on: ["conversation-updated"],
    // The very first grant may carry an activity that was old before the conversation knew that it is shared.
    apply: async ({ before, after }) => {
      if (!after?.shared || (before?.shared && before.last_activity_at === after.last_activity_at)) return;
      await moveGrants(scopeOf(String(after.pk)), conversationOf(after as Item));
    },
  },
];
