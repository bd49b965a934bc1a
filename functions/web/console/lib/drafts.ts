import { useState } from "preact/hooks";

const prefix = "switchboard.draft:";

/** Keeps a text in this browser; an empty one is deleted. */
function storeText(key: string, text: string): void {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // The storage is full. The text is kept until the page is closed.
  }
}

/** Returns a text that is kept in this browser, and a function that changes it. */
function useStoredText(key: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(key) ?? "");
  const change = (next: string) => {
    setText(next);
    storeText(key, next);
  };
  return [text, change];
}

/** Returns the message that is being written in a conversation, which is kept in this browser until it is sent. */
export const useDraft = (userId: string, conversationId: string) =>
  useStoredText(`${prefix}${userId}:${conversationId}`);

const modelKey = (userId: string, conversationId: string) => `${prefix}model:${userId}:${conversationId}`;

/** Returns the model that the user chose for the answers of a conversation, or null, and a function that changes it. */
export function useModelChoice(
  userId: string,
  conversationId: string,
): [model: string | null, setModel: (model: string | null) => void] {
  const [model, setModel] = useStoredText(modelKey(userId, conversationId));
  return [model || null, (next) => setModel(next ?? "")];
}

/** Gives the choice of a model that was made before the conversation existed to the conversation. */
export function moveModelChoice(userId: string, from: string, to: string): void {
  const model = localStorage.getItem(modelKey(userId, from));
  if (model === null) return;
  storeText(modelKey(userId, from), "");
  storeText(modelKey(userId, to), model);
}

/** Deletes all drafts and choices, when the user signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
