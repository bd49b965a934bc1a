import { useState } from "preact/hooks";
import { MAX_IMPORTED_CHARACTERS } from "../../../../../shared/api/conversations/import-messages.ts";
import { t, tn } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ImportProgress } from "./import-progress.tsx";
import { runConversationImport, stopImport } from "./import-run.ts";
import { importState } from "./import-state.ts";
import type { ImportableConversation } from "./importable-conversation.ts";
import { exportFileName, parseExport } from "./parse-export.ts";
import { readArchive } from "./read-archive.ts";

async function readExport(file: File): Promise<ImportableConversation[]> {
  const isArchive = /\.zip$/i.test(file.name);
  const texts = isArchive ? await readArchive(file, exportFileName) : [await file.text()];
  return texts.flatMap(parseExport);
}

/** Dialog that imports the conversations of an export of ChatGPT, Claude or this service. The import continues when it is closed. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly ImportableConversation[] | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const run = importState.value;
  const choose = async (file: File | undefined) => {
    if (!file) return;
    setRefusal(null);
    importState.value = null;
    try {
      setChosen(await readExport(file));
    } catch {
      setChosen(null);
      setRefusal(t("This is no export of ChatGPT, Claude or this service. Choose the ZIP file as you got it."));
    }
  };
  const conversations = run?.conversations ?? chosen;
  const isRunning = run?.status === "running" || run?.status === "stopping";
  const error = refusal ?? run?.error;
  const count = conversations?.length ?? 0;
  const start = async () => {
    if (!conversations) return;
    await runConversationImport(conversations, run?.done);
    if (importState.value === null) onClose();
  };
  const cutCount = (conversations ?? [])
    .flatMap(({ messages }) => messages)
    .filter(({ text }) => text.length > MAX_IMPORTED_CHARACTERS).length;
  return (
    <Dialog title={t("Import conversations")} onClose={onClose}>
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
        {run ? (
          <ImportProgress />
        ) : (
          conversations && <p role="status">{tn("{count} conversation found", "{count} conversations found", count)}</p>
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
        {isRunning && (
          <p class="muted small">
            {t("You can use other views in the meantime. Keep this tab open until the import ends.")}
          </p>
        )}
        {error && (
          <p class="notice danger" role="alert">
            {error}
          </p>
        )}
        <div class="actions">
          {isRunning ? (
            <>
              <Button disabled={run?.status === "stopping"} onClick={stopImport}>
                {t("Stop")}
              </Button>
              <Button kind="primary" onClick={onClose}>
                {t("Continue in the background")}
              </Button>
            </>
          ) : (
            <>
              <Button onClick={onClose}>{t("Cancel")}</Button>
              <Button kind="primary" disabled={count === 0} onClick={start}>
                {run ? t("Continue") : t("Import")}
              </Button>
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}
