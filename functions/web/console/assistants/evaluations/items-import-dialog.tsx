import { useState } from "preact/hooks";
import { invalidate } from "../../lib/data.ts";
import { formatNumber } from "../../lib/format.ts";
import { t, tn } from "../../lib/i18n.ts";
import { saveFile } from "../../lib/save-file.ts";
import { Button } from "../../ui/buttons.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { type ImportOutcome, importItems, type RefusedLine } from "./import-items.ts";
import { type ItemFile, splitItemLines } from "./split-lines.ts";

/** Number of refused lines that are shown. The file of refused lines has all. */
const MAX_SHOWN = 50;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads a file of items. @throws TypeError if it is not in UTF-8 */
async function readItemFile(file: File): Promise<ItemFile> {
  const text = decoder.decode(await file.arrayBuffer());
  return splitItemLines(/\.csv$/i.test(file.name) ? "csv" : "jsonl", text);
}

/** Saves the refused lines as a file of the same format, in which they can be corrected. */
function saveRefused(fileName: string, head: string, refused: readonly RefusedLine[]): void {
  const text = `${head}${refused.map((line) => line.text).join("\n")}\n`;
  saveFile(fileName.replace(/(\.\w+)?$/, "-refused$1"), new Blob([text], { type: "text/plain" }));
}

/** Refused lines with the reason of each. */
function RefusedLines({ refused }: { readonly refused: readonly RefusedLine[] }) {
  return (
    <>
      <DataTable
        rows={refused.slice(0, MAX_SHOWN)}
        keyOf={({ number }) => String(number)}
        columns={[
          { label: t("Line"), className: "number", cell: ({ number }) => formatNumber(number) },
          { label: t("Reason"), className: "text", cell: ({ reason }) => <span class="clamp">{reason}</span> },
          {
            label: t("Text"),
            className: "text",
            cell: ({ text }) => (
              <span class="clamp" dir="auto">
                {text.slice(0, 300)}
              </span>
            ),
          },
        ]}
      />
      {refused.length > MAX_SHOWN && (
        <p class="muted small">
          {t("{count} more are in the file of refused lines.", { count: formatNumber(refused.length - MAX_SHOWN) })}
        </p>
      )}
    </>
  );
}

/** Numbers of what became of the lines, and the refused ones. */
function Outcome({ outcome, count }: { readonly outcome: ImportOutcome; readonly count: number }) {
  const { done, added, duplicates, refused } = outcome;
  return (
    <>
      <progress class="import-progress" max={count} value={done} aria-label={t("Import")} />
      <p role="status">
        {[
          tn("{count} item added", "{count} items added", added),
          tn("{count} was there already", "{count} were there already", duplicates),
          tn("{count} line refused", "{count} lines refused", refused.length),
        ].join(" · ")}
      </p>
      {refused.length > 0 && <RefusedLines refused={refused} />}
    </>
  );
}

/** Dialog that adds the items of a file in CSV or JSON Lines to a test set. */
export function ItemsImportDialog({ setId, onClose }: { readonly setId: string; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<{ readonly name: string; readonly content: ItemFile } | null>(null);
  const [outcome, setOutcome] = useState<ImportOutcome | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const count = chosen?.content.lines.length ?? 0;
  const isRunning = outcome !== null && outcome.done < count;
  const choose = async (file: File | undefined) => {
    if (!file) return;
    setOutcome(null);
    setChosen(null);
    setRefusal(null);
    try {
      const content = await readItemFile(file);
      if (content.lines.length === 0) setRefusal(t("The file has no items."));
      else setChosen({ name: file.name, content });
    } catch {
      setRefusal(t("The file is not in UTF-8. Save it in this encoding and choose it again."));
    }
  };
  const start = async () => {
    if (!chosen) return;
    setOutcome({ done: 0, added: 0, duplicates: 0, refused: [] });
    await importItems(setId, chosen.content, setOutcome);
    invalidate(`test-sets:${setId}:items`);
  };
  const isDone = outcome !== null && !isRunning;
  return (
    <Dialog title={t("Import items")} onClose={() => isRunning || onClose()} isWide>
      <div class="stack">
        <p class="muted">
          {t(
            "A file of JSON Lines with an item on each line, or CSV with a header line and the columns {columns}. Only the question is required.",
            { columns: "question, note, contains, not_contains, cites, refuses" },
          )}
        </p>
        <input
          type="file"
          accept=".csv,.jsonl,.ndjson"
          aria-label={t("File with items")}
          disabled={isRunning}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        {chosen && !outcome && <p role="status">{tn("{count} item found", "{count} items found", count)}</p>}
        {outcome && <Outcome outcome={outcome} count={count} />}
        {refusal && (
          <p class="notice danger" role="alert">
            {refusal}
          </p>
        )}
        <div class="actions">
          {chosen && isDone && outcome.refused.length > 0 && (
            <Button icon="download" onClick={() => saveRefused(chosen.name, chosen.content.head, outcome.refused)}>
              {t("Save the refused lines")}
            </Button>
          )}
          {!isDone && (
            <Button disabled={isRunning} onClick={onClose}>
              {t("Cancel")}
            </Button>
          )}
          {isDone ? (
            <Button kind="primary" onClick={onClose}>
              {t("Close")}
            </Button>
          ) : (
            <Button kind="primary" disabled={!chosen || isRunning} onClick={start}>
              {t("Import")}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
