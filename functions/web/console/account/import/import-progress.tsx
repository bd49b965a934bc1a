import { t } from "../../lib/i18n.ts";
import { importState } from "./import-state.ts";

/** Number of the conversations that were imported so far; nothing without an import. */
export function ImportProgress() {
  const run = importState.value;
  if (run === null) return null;
  const count = run.conversations.length;
  return (
    <>
      <p role="status">
        {t("{done} of {count} conversations", { done: run.done, count })}
        {run.status === "stopped" && ` · ${t("stopped")}`}
      </p>
      <progress class="import-progress" max={count} value={run.done} aria-label={t("Import conversations")} />
    </>
  );
}
