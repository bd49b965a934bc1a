import { useState } from "preact/hooks";

const prefix = "switchboard.draft:";

/** Stores a text in this browser, or deletes it if it is empty. */
function storeText(key: string, text: string): void {
  try {
    if (text) localStorage.setItem(key, text);
    else localStorage.removeItem(key);
  } catch {
    // The storage is full. The text is kept until the page is closed.
  }
}

/** Returns a text that is stored in this browser, and a function that changes it. */
function useStoredText(key: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(key) ?? "");
  const change = (next: string) => {
    setText(next);
    storeText(key, next);
  };
  return [text, change];
}

/**
 * Returns the draft of a message in a conversation, and a function that changes it. The draft is stored in this browser until
 * it is sent.
 */
export const useDraft = (userId: string, conversationId: string) =>
  useStoredText(`${prefix}${userId}:${conversationId}`);

const modelKey = (userId: string, conversationId: string) => `${prefix}model:${userId}:${conversationId}`;

/**
 * Returns the model that the user chose for a conversation, or null, and a function that changes it. The choice is stored in
 * this browser.
 */
export function useModelChoice(
  userId: string,
  conversationId: string,
): [model: string | null, setModel: (model: string | null) => void] {
  const [model, setModel] = useStoredText(modelKey(userId, conversationId));
  return [model || null, (next) => setModel(next ?? "")];
}

/** Moves the choice of a model from a conversation that did not exist yet to the created one. */
export function moveModelChoice(userId: string, from: string, to: string): void {
  const model = localStorage.getItem(modelKey(userId, from));
  if (model === null) return;
  storeText(modelKey(userId, from), "");
  storeText(modelKey(userId, to), model);
}

/** Deletes all stored drafts and choices. Called when the user signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
