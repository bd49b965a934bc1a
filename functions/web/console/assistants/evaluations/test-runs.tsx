import { formatAgo, formatCost, formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { ResourceSection } from "../../ui/resource-page.tsx";
import { cancelRun, RunState, useRunPolling } from "./run-state.tsx";
import { formatShare, nameColumn } from "./run-texts.ts";
import { testRunPath } from "./test-paths.ts";

/** Runs of a test set, newest first. */
export function TestRuns({ setId }: { readonly setId: string }) {
  const list = usePages(
    `test-runs:of:${setId}`,
    (page) => api.GET("/v1/test-runs", { params: { query: { set_id: setId, ...page } } }),
    (reply) => reply.test_runs,
  );
  useRunPolling(
    list.entries.some(({ status }) => status === "running"),
    list.value,
    list.reload,
  );
  return (
    <ResourceSection
      label={t("Runs")}
      resource={list}
      entries={list.value?.entries}
      name={`test-runs:of:${setId}`}
      empty={{
        icon: "send",
        title: t("No run yet"),
        text: t("A run answers the items with versions of the persona and models, and compares the answers."),
      }}
      columns={() => [
        {
          label: t("Time"),
          title: ({ created_at }) => formatDateTime(created_at),
          cell: ({ id, created_at }) => <a href={testRunPath(id)}>{formatAgo(created_at)}</a>,
        },
        {
          label: t("Answered by"),
          className: "text",
          cell: ({ columns, summary }) => (
            <ul class="values">
              {columns.map((column, index) => (
                <li key={index} class="break">
                  {nameColumn(column)}{" "}
                  {summary?.[index] && <span class="muted nowrap">{formatShare(summary[index].mean_score)}</span>}
                </li>
              ))}
            </ul>
          ),
        },
        { label: t("State"), cell: (run) => <RunState run={run} /> },
        { label: t("Cost"), className: "number", cell: ({ cost_usd }) => formatCost(cost_usd) },
        {
          label: null,
          cell: ({ id, status, is_canceled }) =>
            status === "running" && (
              <Button isSmall disabled={is_canceled} onClick={() => cancelRun(id, list.reload)}>
                {t("Cancel the run")}
              </Button>
            ),
        },
      ]}
    />
  );
}
