import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { invalidate, LOOK_INTERVAL_MS, repeatWhileVisible, useResource } from "./lib/data.ts";
import { getArea } from "./navigation.ts";
import { api, can, receptor } from "./session/session.ts";

/** Number of entries above which a badge shows this number and a plus sign. */
const MAX_COUNT = 9;

/** Interval of the counts. It is long, because each count of open incidents reads up to 400 investigations. */
const COUNT_INTERVAL_MS = 300_000;

const approvalsKey = "approvals:waiting:";
const handoversKey = "handovers:waiting:";
const incidentsKey = "investigations:unresolved:";

const query = { limit: MAX_COUNT + 1 };

/** Time after which is loaded what the first view does not need, such as these counts. */
export const AFTER_FIRST_VIEW_MS = 4_000;

const isStarted = signal(false);

/**
 * Loads how many approvals wait for the user, how many visitors wait for a person, and how many incidents are open, by the path of their section. They are loaded
 * again after a decision, because their keys begin like those of the lists.
 */
export function useOpenWork(): ReadonlyMap<string, number> {
  const user = receptor.value?.user.user_id;
  const approvals = useResource(isStarted.value && can("approval.decide") ? `${approvalsKey}${user}` : null, () =>
    api.GET("/v1/approvals", { params: { query: { ...query, to_decide: true } } }),
  );
  const handovers = useResource(isStarted.value && can("visitors.answer") ? `${handoversKey}${user}` : null, () =>
    api.GET("/v1/handovers", { params: { query } }),
  );
  const incidents = useResource(isStarted.value ? `${incidentsKey}${user}` : null, () =>
    api.GET("/v1/investigations", { params: { query: { ...query, state: "open" } } }),
  );
  const { path } = getArea("operate");
  return new Map([
    [`${path}/approvals`, approvals.value?.approvals.length ?? 0],
    [`${path}/visitors`, handovers.value?.handovers.filter(({ status }) => status === "waiting").length ?? 0],
    [`${path}/incidents`, incidents.value?.investigations.length ?? 0],
  ]);
}

/** Loads the counts again while the page is visible. */
export function useOpenWorkUpdates(): void {
  const look = () => {
    invalidate(approvalsKey);
    invalidate(incidentsKey);
  };
  useEffect(() => {
    const timer = setTimeout(() => {
      isStarted.value = true;
    }, AFTER_FIRST_VIEW_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => repeatWhileVisible(look, COUNT_INTERVAL_MS), []);
  useEffect(() => repeatWhileVisible(() => invalidate(handoversKey), LOOK_INTERVAL_MS), []);
}

/** Returns the text of a badge; null without a number. */
export const formatCount = (count: number): string | null =>
  count === 0 ? null : count > MAX_COUNT ? `${MAX_COUNT}+` : String(count);
