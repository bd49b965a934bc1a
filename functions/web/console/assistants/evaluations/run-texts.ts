import type { TestColumn, TestRun } from "../../../../../shared/api/evaluations/test-runs.ts";
import { formatNumber } from "../../lib/format.ts";
import { getLocale, t } from "../../lib/i18n.ts";

/** Returns the name of a column of a run: its version, and its model if that is not the one of the version. */
export const nameColumn = ({ version, model }: TestColumn): string =>
  model === null
    ? t("Version {number}", { number: version })
    : t("Version {number} with {model}", { number: version, model });

/** Texts and colors of the states of a run. */
export const runStates = (): Readonly<
  Record<TestRun["status"], readonly [text: string, kind: "success" | "warning" | "danger" | "accent"]>
> => ({
  running: [t("In progress"), "accent"],
  completed: [t("Complete"), "success"],
  canceled: [t("Canceled"), "warning"],
  failed: [t("Failed"), "danger"],
});

/** Sentences for the reasons for which a run failed. */
export const runReasonTexts = (): Readonly<Record<NonNullable<TestRun["reason"]>, string>> => ({
  budget: t("The budget of the run is used up."),
  quota: t("A budget of the organization is used up."),
  user: t("Its author has left or lost a right."),
  persona: t("The persona or a version was deleted."),
  tenant: t("The organization is suspended."),
});

/** Formats a share as a percentage with at most one decimal. */
export const formatShare = (share: number): string =>
  new Intl.NumberFormat(getLocale(), { style: "percent", maximumFractionDigits: 1 }).format(share);

/** Formats the difference of two shares in percentage points, with its sign. */
export const formatPoints = (difference: number): string =>
  new Intl.NumberFormat(getLocale(), { maximumFractionDigits: 1, signDisplay: "exceptZero" }).format(100 * difference);

/** Formats a duration in ms as seconds. */
export const formatSeconds = (durationMs: number): string =>
  new Intl.NumberFormat(getLocale(), { style: "unit", unit: "second", maximumFractionDigits: 1 }).format(
    durationMs / 1_000,
  );

/** Formats a probability; small ones as a bound. */
export const formatProbability = (probability: number): string =>
  probability < 0.001 ? `< ${formatNumber(0.001)}` : formatNumber(Math.round(1_000 * probability) / 1_000);
