import { effect, type Signal, signal } from "@preact/signals";

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

const texts = new Map<string, Signal<string>>();

/** Returns a text that is stored in this browser whenever it changes. */
function storedText(key: string): Signal<string> {
  const existing = texts.get(key);
  if (existing) return existing;
  const text = signal(localStorage.getItem(key) ?? "");
  texts.set(key, text);
  effect(() => storeText(key, text.value));
  return text;
}

/**
 * Returns the draft of a message in a conversation. It is a signal, so that only the text field is drawn again with each letter. It
 * is stored in this browser until it is sent.
 */
export const draftOf = (userId: string, conversationId: string): Signal<string> =>
  storedText(`${prefix}${userId}:${conversationId}`);

/** Puts texts that were not sent in front of a draft. */
export function putBefore(draft: Signal<string>, ...texts: readonly (string | null)[]): void {
  draft.value = [...texts, draft.peek()].filter(Boolean).join("\n\n");
}

const modelKey = (userId: string, conversationId: string) => `${prefix}model:${userId}:${conversationId}`;

/**
 * Returns the model that the user chose for a conversation, or null, and a function that changes it. The choice is stored in
 * this browser.
 */
export function useModelChoice(
  userId: string,
  conversationId: string,
): [model: string | null, setModel: (model: string | null) => void] {
  const model = storedText(modelKey(userId, conversationId));
  const setModel = (next: string | null) => {
    model.value = next ?? "";
  };
  return [model.value || null, setModel];
}

/** Moves the choice of a model from a conversation that did not exist yet to the created one. */
export function moveModelChoice(userId: string, from: string, to: string): void {
  const model = storedText(modelKey(userId, from));
  storedText(modelKey(userId, to)).value = model.peek();
  model.value = "";
}

/** Deletes all stored drafts and choices. Called when the user signs out. */
export function forgetDrafts(): void {
  texts.clear();
  for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) localStorage.removeItem(key);
}
