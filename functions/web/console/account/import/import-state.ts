import { effect, signal } from "@preact/signals";
import { receptor } from "../../session/session.ts";
import type { ImportableConversation } from "./importable-conversation.ts";

/** Import of conversations that has begun and not ended. */
interface ImportRun {
  readonly conversations: readonly ImportableConversation[];
  /** Number of conversations that were imported. */
  readonly done: number;
  readonly status: "running" | "stopping" | "stopped" | "failed";
  readonly error: string | null;
}

/** The import of this page, which continues while other views are open. */
export const importState = signal<ImportRun | null>(null);

let owner: string | undefined;

// Another user must not see or continue it.
effect(() => {
  const userId = receptor.value?.user.user_id;
  if (userId !== owner) importState.value = null;
  owner = userId;
});
