import { useEffect } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { LOOK_INTERVAL_MS, repeatWhileVisible, updateResource } from "../lib/data.ts";
import { onChangeInOtherTab } from "../session/other-tabs.ts";
import { api } from "../session/session.ts";
import { isAnswering, loadNewMessages } from "./run.ts";

/**
 * Interval at which a visible conversation is checked for messages from other devices and users. It doubles with each check without
 * a change, up to a minute: a check takes 1.5 read units and 1 write unit. Other tabs tell what they change.
 */
const FIRST_INTERVAL_MS = 15_000;

type Details = ReplyOf<"/v1/conversations/{id}", "get">;

/** Checks whether a conversation has had activity since `lastActivity`, and loads it. */
async function look(id: string, lastActivity: string): Promise<void> {
  const details = await api.GET("/v1/conversations/{id}", { params: { path: { id } } });
  if (details.last_activity_at === lastActivity) return;
  await loadNewMessages(id);
  // Only owners store which branch they see.
  updateResource<Details>(`conversation:${id}`, ({ active_message_id }) =>
    details.access === "owner" ? details : { ...details, active_message_id },
  );
}

/**
 * Shows messages that are written elsewhere while a conversation is open. Checks for them while the page is visible, when it
 * becomes visible, and when another tab has changed the conversation. Ignores errors, because the next check follows.
 * @param lastActivity `last_activity_at` of the loaded conversation; null before it is loaded
 */
export function useFollowConversation(id: string, lastActivity: string | null): void {
  useEffect(() => {
    if (lastActivity === null) return undefined;
    const check = () => {
      if (!isAnswering(id)) look(id, lastActivity).catch(() => {});
    };
    const endRepeating = repeatWhileVisible(check, FIRST_INTERVAL_MS, LOOK_INTERVAL_MS);
    const endListening = onChangeInOtherTab((changedId) => changedId === id && check());
    return () => {
      endRepeating();
      endListening();
    };
  }, [id, lastActivity]);
}
