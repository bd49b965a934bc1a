import { useRef, useState } from "preact/hooks";
import {
  MAX_IMPORTED_CHARACTERS,
  MAX_IMPORTED_MESSAGES,
} from "../../../../../shared/api/conversations/import-messages.ts";
import { isProblem } from "../../../../../shared/client/index.ts";
import { invalidate } from "../../lib/data.ts";
import { t, tn } from "../../lib/i18n.ts";
import { describeError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button, Dialog } from "../../ui/controls.tsx";
import type { ExportedConversation, ExportedMessage } from "./exported-conversation.ts";
import { exportFileName, parseExport } from "./parse-export.ts";
import { readArchive } from "./read-archive.ts";

/** Maximum number of characters in one request, below the limit of 1 MiB for bodies in UTF-8. */
const MAX_REQUEST_CHARACTERS = 200_000;

async function readExport(file: File): Promise<ExportedConversation[]> {
  const isArchive = /\.zip$/i.test(file.name);
  const texts = isArchive ? await readArchive(file, exportFileName) : [await file.text()];
  return texts.flatMap(parseExport);
}

/** Divides messages into requests. Longer messages than the service takes are cut at their end. */
function toRequests(messages: readonly ExportedMessage[]): ExportedMessage[][] {
  const requests: ExportedMessage[][] = [];
  let size = 0;
  for (const message of messages) {
    const text = message.text.slice(0, MAX_IMPORTED_CHARACTERS);
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

async function importConversation({ title, messages }: ExportedConversation): Promise<void> {
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

/** Dialog that imports the conversations of an export of ChatGPT, Claude or this service. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [conversations, setConversations] = useState<readonly ExportedConversation[] | null>(null);
  const [done, setDone] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const isStopped = useRef(false);
  const choose = async (file: File | undefined) => {
    if (!file) return;
    setError(null);
    setDone(null);
    try {
      setConversations(await readExport(file));
    } catch {
      setConversations(null);
      setError(t("This is no export of ChatGPT, Claude or this service. Choose the ZIP file as you got it."));
    }
  };
  const start = async () => {
    if (!conversations) return;
    setError(null);
    isStopped.current = false;
    for (let index = done ?? 0; index < conversations.length && !isStopped.current; index++) {
      setDone(index);
      try {
        await importConversation(conversations[index] as ExportedConversation);
      } catch (failure) {
        setError(describeError(failure));
        invalidate("conversations:");
        return;
      }
    }
    invalidate("conversations:");
    if (isStopped.current) return;
    showToast(tn("{count} conversation was imported.", "{count} conversations were imported.", conversations.length));
    onClose();
  };
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  const isRunning = done !== null && error === null;
  const count = conversations?.length ?? 0;
  const cutCount = (conversations ?? [])
    .flatMap(({ messages }) => messages)
    .filter(({ text }) => text.length > MAX_IMPORTED_CHARACTERS).length;
  return (
    <Dialog title={t("Import conversations")} onClose={close}>
      <div class="stack">
        <p class="muted">
          {t(
            "Choose the ZIP file of an export of ChatGPT or Claude, or of “Export my data” here. Texts are imported, files and images are not.",
          )}
        </p>
        <input
          type="file"
          accept=".zip,.json,.ndjson"
          aria-label={t("Export")}
          disabled={isRunning}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        {conversations && (
          <p role="status">
            {isRunning
              ? t("{done} of {count} conversations", { done, count })
              : tn("{count} conversation found", "{count} conversations found", count)}
          </p>
        )}
        {cutCount > 0 && (
          <p class="notice warning">
            {tn(
              "{count} message is too long. Its first 60,000 characters are imported.",
              "{count} messages are too long. Their first 60,000 characters are imported.",
              cutCount,
            )}
          </p>
        )}
        {isRunning && <progress max={count} value={done} aria-label={t("Import conversations")} />}
        {error && (
          <p class="notice danger" role="alert">
            {error}
          </p>
        )}
        <div class="actions">
          <Button onClick={close}>{isRunning ? t("Stop") : t("Cancel")}</Button>
          <Button kind="primary" disabled={isRunning || count === 0} onClick={start}>
            {done !== null && error !== null ? t("Continue") : t("Import")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
