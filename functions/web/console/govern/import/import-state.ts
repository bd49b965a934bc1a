import { signal } from "@preact/signals";
import type { ExportedConversation } from "./exported-conversation.ts";

/** Import of conversations that has begun and not ended. */
interface ImportRun {
  readonly conversations: readonly ExportedConversation[];
  /** Number of conversations that were imported. */
  readonly done: number;
  readonly status: "running" | "stopping" | "stopped" | "failed";
  readonly error: string | null;
}

/** The import of this page, which continues while other views are open. */
export const importState = signal<ImportRun | null>(null);
