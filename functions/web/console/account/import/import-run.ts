import {
  MAX_IMPORTED_CHARACTERS,
  MAX_IMPORTED_MESSAGES,
} from "../../../../../shared/api/conversations/import-messages.ts";
import { cutText } from "../../../../../shared/client/cut-text.ts";
import { isProblem } from "../../../../../shared/client/index.ts";
import { invalidate } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { describeError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { importState } from "./import-state.ts";
import type { ImportableConversation, ImportableMessage } from "./importable-conversation.ts";

/** Maximum number of characters in one request, below the limit of 1 MiB for bodies in UTF-8. */
const MAX_REQUEST_CHARACTERS = 200_000;

/** Divides messages into requests. Longer messages than the service takes are cut at their end. */
function toRequests(messages: readonly ImportableMessage[]): ImportableMessage[][] {
  const requests: ImportableMessage[][] = [];
  let size = 0;
  for (const message of messages) {
    const text = cutText(message.text, MAX_IMPORTED_CHARACTERS);
    const current = requests.at(-1);
    if (current && current.length < MAX_IMPORTED_MESSAGES && size + text.length <= MAX_REQUEST_CHARACTERS) {
      current.push({ ...message, text });
      size += text.length;
    } else {
      requests.push([{ ...message, text }]);
      size = text.length;
    }
  }
  return requests;
}

/** Sends a request, and sends it again when the limit of requests per minute allows it. */
async function whenAllowed<Reply>(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isProblem(error, "rate_limited")) throw error;
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterSeconds ?? 10) * 1_000));
    }
  }
}

async function importConversation({ title, messages }: ImportableConversation): Promise<void> {
  const body = { title: title || t("Imported conversation") };
  const { id } = await whenAllowed(() => api.POST("/v1/conversations", { body }));
  const params = { path: { id } };
  try {
    for (const request of toRequests(messages)) {
      const path = "/v1/conversations/{id}/messages/import";
      await whenAllowed(() => api.POST(path, { params, body: { messages: request } }));
    }
  } catch (error) {
    // A part of a conversation would look like the whole one.
    await api.DELETE("/v1/conversations/{id}", { params }).catch(() => {});
    throw error;
  }
}

function warnBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Pauses the import after the conversation that is being imported. */
export function stopImport(): void {
  const run = importState.value;
  if (run?.status === "running") importState.value = { ...run, status: "stopping" };
}

/**
 * Imports conversations, of which `done` have been imported before. Continues while other views are open, and ends if another
 * user signs in.
 */
export async function runConversationImport(conversations: readonly ImportableConversation[], done = 0): Promise<void> {
  const run = { conversations, done, status: "running", error: null } as const;
  importState.value = run;
  addEventListener("beforeunload", warnBeforeLeaving);
  try {
    for (const [index, conversation] of conversations.entries()) {
      if (index < done) continue;
      importState.value = { ...run, done: index };
      await importConversation(conversation);
      if (importState.value === null) return;
      if (importState.value.status !== "stopping" || index + 1 === conversations.length) continue;
      importState.value = { ...run, done: index + 1, status: "stopped" };
      return;
    }
    importState.value = null;
    showToast(tn("{count} conversation was imported.", "{count} conversations were imported.", conversations.length));
  } catch (failure) {
    if (importState.value === null) return;
    const error = describeError(failure);
    importState.value = { ...run, done: importState.value.done, status: "failed", error };
    showToast(t("The import stopped: {error}", { error }), true);
  } finally {
    removeEventListener("beforeunload", warnBeforeLeaving);
    invalidate("conversations:");
  }
}
