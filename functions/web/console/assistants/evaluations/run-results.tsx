import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { TestRun } from "../../../../../shared/api/evaluations/test-runs.ts";
import { formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { MoreButton } from "../../ui/list.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ItemCard } from "./item-card.tsx";
import { groupByItem, isIncluded, type ResultFilter, resultFilters } from "./item-results.ts";
import { useRunPolling } from "./run-state.tsx";
import { testRunPath } from "./test-paths.ts";

/** Number of results that are loaded at once. */
const PAGE_SIZE = 100;

/** Answers to the items of a run, those of the columns side by side. The address of the page has the filter. */
export function RunResults({ run: { id, columns, status } }: { readonly run: TestRun }) {
  const { query, route } = useLocation();
  const filter: ResultFilter = resultFilters.find((each) => each === query.show) ?? "all";
  const list = usePages(
    `test-runs:${id}:results`,
    (page) => api.GET("/v1/test-runs/{id}/results", { params: { path: { id }, query: page } }),
    ({ results }) => results,
    PAGE_SIZE,
  );
  const isRunning = status === "running";
  useRunPolling(isRunning, list.value, list.reload);
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    // The last results are newer than what was loaded while the run was in progress.
    if (wasRunning.current && !isRunning) list.reload();
    wasRunning.current = isRunning;
  }, [isRunning]);
  const items = groupByItem(list.entries, columns.length, list.more !== null);
  const shown = items.filter((item) => isIncluded(item, filter));
  const counts = { shown: formatNumber(shown.length), total: formatNumber(items.length) };
  const texts: Readonly<Record<ResultFilter, string>> = {
    all: t("All"),
    failed: t("Not passed"),
    worse: t("Worse"),
    better: t("Better"),
    error: t("Errors"),
  };
  const offered = resultFilters.filter((each) => columns.length > 1 || (each !== "worse" && each !== "better"));
  return (
    <section class="section" aria-label={t("Results")}>
      <h2>{t("Results")}</h2>
      <Tabs
        label={t("Results to show")}
        value={filter}
        onValue={(next) => route(`${testRunPath(id)}${next === "all" ? "" : `?show=${next}`}`, true)}
        options={offered.map((each) => [each, texts[each]])}
      />
      <ResourceStatus resource={list} />
      {list.value !== null && (
        <p class="muted small" role="status">
          {list.more ? t("{shown} of {total} items so far", counts) : t("{shown} of {total} items", counts)}
        </p>
      )}
      {shown.map((item) => (
        <ItemCard key={item.itemId} item={item} columns={columns} />
      ))}
      <MoreButton list={list} />
    </section>
  );
}
