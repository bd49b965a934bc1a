import { useEffect } from "preact/hooks";
import type { TestRun } from "../../../../../shared/api/evaluations/test-runs.ts";
import { formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { ProgressBar } from "../../ui/progress.tsx";
import { Badge } from "../../ui/status.tsx";
import { runReasonTexts, runStates } from "./run-texts.ts";

/** Interval between reads while a run is in progress. */
const RUN_INTERVAL_MS = 2_000;

/** Loads data again after two seconds, as long as a run is in progress. */
export function useRunPolling(isRunning: boolean, value: unknown, reload: () => void): void {
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(reload, RUN_INTERVAL_MS);
    return () => clearTimeout(timer);
  }, [isRunning, value]);
}

/** State of a run, and how many of its items are done. */
export function RunState({ run }: { readonly run: TestRun }) {
  const { status, is_canceled, reason, done, skipped, estimate } = run;
  const [text, kind] = runStates()[status];
  const total = Math.max(1, estimate.items - skipped);
  return (
    <div class="stack tight">
      <div class="row wrap">
        <Badge kind={kind}>{status === "running" && is_canceled ? t("Being canceled") : text}</Badge>
        {status === "running" && <ProgressBar part={Math.min(1, done / total)} label={t("Items that are done")} />}
        <span class="small muted nowrap">
          {t("{done} of {total} items", { done: formatNumber(done), total: formatNumber(estimate.items - skipped) })}
        </span>
      </div>
      {reason && <span class="small muted">{runReasonTexts()[reason]}</span>}
    </div>
  );
}

/** Cancels a run, which ends with the results so far. */
export async function cancelRun(id: string, onDone: () => void): Promise<void> {
  try {
    await api.DELETE("/v1/test-runs/{id}", { params: { path: { id } } });
    showToast(t("The run ends within some seconds."));
  } catch (error) {
    showError(error);
  }
  onDone();
}
