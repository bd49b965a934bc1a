import type { StoredMessage } from "../../conversations/message-store.ts";
import type { Turn } from "../turn.ts";

/** Returns true for a message of another user, and for an answer whose model may have read untrusted text. */
export const isForeign = (
  { principal }: Pick<Turn, "principal">,
  { role, author_id, read_untrusted }: StoredMessage,
): boolean => (role === "assistant" ? read_untrusted !== false : role === "user" && author_id !== principal.userId);
