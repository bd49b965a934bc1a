import { describeFinding } from "../lib/codes/finding-texts.ts";
import { useResource } from "../lib/data.ts";
import { formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { ResourceStatus } from "../ui/status.tsx";

/** Maximum number of pages of feedback that are counted. */
const MAX_PAGES = 10;

/** Counts the reports of wrong findings in the latest 1,000 entries of feedback, by rule. */
async function countReports(): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { feedback, next_cursor } = await api.GET("/v1/feedback", { params: { query: { limit: 100, cursor } } });
    for (const rule of feedback.flatMap(({ wrong_rules }) => wrong_rules))
      counts.set(rule, (counts.get(rule) ?? 0) + 1);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return counts;
}

/** Counts the chat answers of the last 30 days with a finding, by rule. */
async function countFindings(): Promise<ReadonlyMap<string, number>> {
  const { findings } = await api.GET("/v1/usage", {});
  return new Map(findings.map(({ rule, replies }) => [rule, replies]));
}

/** Names of findings that are no rules: categories, findings of a model such as `topic:taxes`, and the instructions. */
const canSwitchOff = (rule: string, categories: readonly string[]) =>
  !categories.includes(rule) && !rule.includes(":") && rule !== "instructions" && rule !== "unsafe";

/**
 * Rules of the guardrail that found something in the last 30 days, that users reported as wrong, or that are switched off.
 * @param categories names of the categories; a finding without a rule is reported by its category
 */
export function GuardrailRules({
  disabled,
  categories,
  onChange,
}: {
  readonly disabled: readonly string[];
  readonly categories: readonly string[];
  readonly onChange: (disabled: string[]) => void;
}) {
  const reports = useResource(can("usage.read") ? "feedback:reports" : null, countReports);
  const findings = useResource(can("usage.read") ? "usage:findings" : null, countFindings);
  const rules = [...new Set([...(findings.value?.keys() ?? []), ...(reports.value?.keys() ?? []), ...disabled])].sort();
  return (
    <>
      <h3>{t("Rules")}</h3>
      <p class="muted small">
        {t(
          "Rules that found something in chat answers of the last 30 days, that users reported as wrong, or that are switched off. Reports are counted in the latest 1,000 entries of feedback.",
        )}
      </p>
      {can("usage.read") && <ResourceStatus resource={reports} lines={2} />}
      <DataTable
        rows={rules}
        keyOf={(rule) => rule}
        columns={[
          { label: t("Rule"), title: (rule) => rule, cell: describeFinding },
          { label: t("Answers"), cell: (rule) => formatNumber(findings.value?.get(rule) ?? 0) },
          { label: t("Reports"), cell: (rule) => formatNumber(reports.value?.get(rule) ?? 0) },
          {
            label: null,
            cell: (rule) =>
              disabled.includes(rule) ? (
                <Button isSmall onClick={() => onChange(disabled.filter((name) => name !== rule))}>
                  {t("Switch on")}
                </Button>
              ) : (
                canSwitchOff(rule, categories) && (
                  <Button isSmall onClick={() => onChange([...disabled, rule])}>
                    {t("Switch off")}
                  </Button>
                )
              ),
          },
        ]}
      />
      {rules.length === 0 && (!can("usage.read") || reports.value !== null) && (
        <p class="muted small">{t("No rule found anything or was reported as wrong, and all are switched on.")}</p>
      )}
    </>
  );
}
