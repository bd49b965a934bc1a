import { useEffect } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { updateResource } from "../lib/data.ts";
import { api } from "../session/session.ts";
import { liveReply, loadMessages, messagesKey, type Transcript } from "./run.ts";

/**
 * Interval at which a visible conversation is checked for messages from other tabs, devices and users. A check without a
 * change takes one request: 1.5 read units and 1 write unit.
 */
const LOOK_INTERVAL_MS = 10_000;

/** Loads the newest messages and merges them with the loaded ones. */
async function addNewMessages(id: string): Promise<void> {
  const newest = await loadMessages(id);
  const ids = new Set(newest.messages.map(({ message_id }) => message_id));
  updateResource<Transcript>(messagesKey(id), ({ messages, olderCursor }) => {
    const older = messages.filter(({ message_id }) => !ids.has(message_id));
    // If more than a page is new, only the newest page is shown, and the others are loaded on demand.
    const isAdjacent = messages.some(({ message_id }) => ids.has(message_id));
    return isAdjacent ? { messages: [...older, ...newest.messages], olderCursor } : newest;
  });
}

type Details = ReplyOf<"/v1/conversations/{id}", "get">;

/** Checks whether a conversation has had activity since `lastActivity`, and loads it. */
async function look(id: string, lastActivity: string): Promise<void> {
  const details = await api.GET("/v1/conversations/{id}", { params: { path: { id } } });
  if (details.last_activity_at === lastActivity) return;
  await addNewMessages(id);
  // Only owners store which branch they see.
  updateResource<Details>(`conversation:${id}`, ({ active_message_id }) =>
    details.access === "owner" ? details : { ...details, active_message_id },
  );
}

/**
 * Shows messages that are written elsewhere while a conversation is open. Checks for them every ten seconds while the page is
 * visible, and when it becomes visible. Ignores errors, because the next check follows.
 * @param lastActivity `last_activity_at` of the loaded conversation; null before it is loaded
 */
export function useFollowConversation(id: string, lastActivity: string | null): void {
  useEffect(() => {
    if (lastActivity === null) return undefined;
    const lookIfVisible = () => {
      const isBusy = document.visibilityState !== "visible" || liveReply(id).peek()?.state === "running";
      if (!isBusy) look(id, lastActivity).catch(() => {});
    };
    const timer = setInterval(lookIfVisible, LOOK_INTERVAL_MS);
    document.addEventListener("visibilitychange", lookIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", lookIfVisible);
    };
  }, [id, lastActivity]);
}
