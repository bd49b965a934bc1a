import { useState } from "preact/hooks";
import { describeField } from "../../admin/audit/audit-fields.ts";
import { useResource } from "../../lib/data.ts";
import { formatCost, formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { useCollections, useToolServers } from "../../lib/lists.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { ValueText } from "../../ui/value-text.tsx";
import { AskBoth } from "./ask-both.tsx";
import { TextDifference } from "./text-difference-view.tsx";
import { useVersionFigures, type VersionFigures } from "./version-figures.ts";

const figureRows = () =>
  [
    [t("Answers"), ({ requests }: VersionFigures) => formatNumber(requests)],
    [t("Cost per answer"), (each: VersionFigures) => (each.requests ? formatCost(each.cost_usd / each.requests) : "–")],
    [
      t("Tokens per answer"),
      (each: VersionFigures) => (each.requests ? formatNumber(Math.round(each.total_tokens / each.requests)) : "–"),
    ],
    [t("Good ratings"), ({ up }: VersionFigures) => formatNumber(up)],
    [t("Bad ratings"), ({ down }: VersionFigures) => formatNumber(down)],
  ] as const;

/** Use and ratings of two versions. */
function Figures(props: {
  readonly personaId: string;
  readonly versions: readonly [older: number, newer: number];
  readonly titles: readonly [older: string, newer: string];
}) {
  const { personaId, versions, titles } = props;
  const figuresOf = useVersionFigures(personaId);
  if (!figuresOf) return null;
  return (
    <DataTable
      rows={figureRows()}
      keyOf={([label]) => label}
      columns={[
        { label: t("Last 30 days"), cell: ([label]) => label },
        { label: titles[0], className: "number", cell: ([, read]) => read(figuresOf(versions[0])) },
        { label: titles[1], className: "number", cell: ([, read]) => read(figuresOf(versions[1])) },
      ]}
    />
  );
}

/** Fields of a version that are no fields of the persona. */
const ownFields = new Set(["persona_id", "version", "author_id", "note", "restored_from", "created_at"]);

/** Differences of two versions, with their figures. */
export function CompareDialog({
  personaId,
  versions,
  initial,
  onClose,
}: {
  readonly personaId: string;
  /** Numbers to choose from, newest first. */
  readonly versions: readonly number[];
  readonly initial: readonly [older: number, newer: number];
  readonly onClose: () => void;
}) {
  const [chosen, setChosen] = useState(initial);
  const [older, newer] = chosen;
  const load = (version: number) =>
    api.GET("/v1/personas/{id}/versions/{version}", { params: { path: { id: personaId, version: String(version) } } });
  const pair = useResource(`persona:${personaId}:pair:${older}:${newer}`, () =>
    Promise.all([load(older), load(newer)]),
  );
  const collections = useCollections().value?.collections ?? [];
  const servers = useToolServers().value?.servers ?? [];
  const names = new Map([...collections, ...servers].map(({ id, name }) => [id as string | number, name]));
  const nameOf = (value: string | number) => names.get(value) ?? String(value);
  const [before, after] = pair.value ?? [];
  const changed =
    before && after
      ? (Object.keys(after) as (keyof typeof after)[]).filter(
          (field) => !ownFields.has(field) && JSON.stringify(before[field]) !== JSON.stringify(after[field]),
        )
      : [];
  const options = versions.map((version) => [String(version), t("Version {number}", { number: version })] as const);
  const titles = [t("Version {number}", { number: older }), t("Version {number}", { number: newer })] as const;
  return (
    <Dialog title={t("Compare versions")} onClose={onClose} isWide>
      <div class="pair">
        <SelectField
          label={t("From")}
          value={String(older)}
          options={options}
          onValue={(value) => setChosen([Number(value), newer])}
        />
        <SelectField
          label={t("To")}
          value={String(newer)}
          options={options}
          onValue={(value) => setChosen([older, Number(value)])}
        />
      </div>
      <ResourceStatus resource={pair} lines={6} />
      {before && after && (
        <>
          {changed.includes("instructions") && (
            <section class="stack tight">
              <h3>{t("Instructions")}</h3>
              <TextDifference before={before.instructions ?? ""} after={after.instructions ?? ""} />
            </section>
          )}
          <DataTable
            rows={changed.filter((field) => field !== "instructions")}
            keyOf={(field) => field}
            columns={[
              { label: t("Field"), cell: describeField },
              { label: titles[0], cell: (field) => <ValueText value={before[field]} format={nameOf} /> },
              { label: titles[1], cell: (field) => <ValueText value={after[field]} format={nameOf} /> },
            ]}
          />
          {changed.length === 0 && <p class="muted">{t("Both versions have the same fields.")}</p>}
        </>
      )}
      <Figures personaId={personaId} versions={chosen} titles={titles} />
      {after && <AskBoth key={`${older} ${newer}`} personaId={personaId} name={after.name} versions={[older, newer]} />}
      <div class="actions">
        <Button kind="primary" onClick={onClose}>
          {t("Close")}
        </Button>
      </div>
    </Dialog>
  );
}
