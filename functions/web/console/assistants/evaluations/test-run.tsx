import type { TestRun } from "../../../../../shared/api/evaluations/test-runs.ts";
import { useResource } from "../../lib/data.ts";
import { formatCost, formatDateTime } from "../../lib/format.ts";
import { t, tn } from "../../lib/i18n.ts";
import { usePeople } from "../../lib/people/people.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button, CopyButton } from "../../ui/buttons.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { Facts } from "./facts.tsx";
import { RunResults } from "./run-results.tsx";
import { cancelRun, RunState, useRunPolling } from "./run-state.tsx";
import { RunSummary } from "./run-summary.tsx";
import { saveResults } from "./save-results.ts";
import { testRunPath, testSetPath } from "./test-paths.ts";
import { useTestSet } from "./test-set.tsx";

/** Author, time, settings and cost of a run. */
function RunFacts({ run }: { readonly run: TestRun }) {
  const { nameOf } = usePeople();
  const { author_id, created_at, passages, tools, cost_usd, max_cost_usd, skipped } = run;
  const facts = [
    t("By {name}", { name: nameOf(author_id) }),
    formatDateTime(created_at),
    passages === "live" ? t("Live passages") : t("Recorded passages"),
    tools === "live" ? t("Live tools") : t("Recorded tools"),
    max_cost_usd === null
      ? t("Cost {cost}", { cost: formatCost(cost_usd) })
      : t("Cost {cost} of {budget}", { cost: formatCost(cost_usd), budget: formatCost(max_cost_usd) }),
  ];
  return (
    <div class="stack tight">
      <RunState run={run} />
      <Facts facts={facts} />
      {skipped > 0 && (
        <p class="small muted">
          {tn(
            "{count} item was left out, because its author may not read the conversation that it is from.",
            "{count} items were left out, because their author may not read the conversations that they are from.",
            skipped,
          )}
        </p>
      )}
    </div>
  );
}

/** Page of a test run: its progress, what the columns have in sum, and the answers side by side. */
export function TestRunPage({ id }: { readonly id: string }) {
  const resource = useResource(`test-runs:${id}`, () => api.GET("/v1/test-runs/{id}", { params: { path: { id } } }));
  const run = resource.value;
  const isRunning = run?.status === "running";
  useRunPolling(isRunning, run, resource.reload);
  const set = useTestSet(run?.set_id ?? null).value?.set;
  const save = (form: "json" | "xml") => void saveResults(id, form).catch(showError);
  return (
    <PageLayout
      title={set ? t("Run of {name}", { name: set.name }) : t("Test run")}
      back={
        run
          ? { path: testSetPath(run.set_id, "runs"), label: set?.name ?? t("Test set") }
          : { path: "/console/assistants/personas", label: t("Personas") }
      }
      actions={
        run && (
          <>
            <CopyButton text={location.origin + testRunPath(id)} label={t("Copy the link")} />
            {isRunning && (
              <Button disabled={run.is_canceled} onClick={() => cancelRun(id, resource.reload)}>
                {t("Cancel the run")}
              </Button>
            )}
            <Button icon="download" onClick={() => save("json")}>
              JSON
            </Button>
            <Button icon="download" onClick={() => save("xml")}>
              JUnit XML
            </Button>
          </>
        )
      }
    >
      <ResourceStatus resource={resource} />
      {run && (
        <>
          <RunFacts run={run} />
          <RunSummary run={run} />
          <RunResults run={run} />
        </>
      )}
    </PageLayout>
  );
}
