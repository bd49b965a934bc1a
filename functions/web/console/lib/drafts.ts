import { useState } from "preact/hooks";

const prefix = "switchboard.draft:";

/** Returns a text that is kept in this browser until it is sent, and a function that changes it. */
export function useDraft(userId: string, conversationId: string): [text: string, setText: (text: string) => void] {
  const key = `${prefix}${userId}:${conversationId}`;
  const [text, setText] = useState(() => localStorage.getItem(key) ?? "");
  const change = (next: string) => {
    setText(next);
    try {
      if (next) localStorage.setItem(key, next);
      else localStorage.removeItem(key);
    } catch {
      // The storage is full. The text is kept until the page is closed.
    }
  };
  return [text, change];
}

/** Deletes all drafts, when the user signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
