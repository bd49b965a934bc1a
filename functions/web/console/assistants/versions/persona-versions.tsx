import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Persona } from "../../../../../shared/api/personas/persona.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatAgo, formatCost, formatDateTime, formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { usePeople } from "../../lib/people/people.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { MoreButton } from "../../ui/list.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { CompareDialog } from "./compare-dialog.tsx";
import { GateSection } from "./gate.tsx";
import { personaPath } from "./persona-path.ts";
import { PublishVersionDialog } from "./publish-version-dialog.tsx";
import { useVersionFigures } from "./version-figures.ts";

type Version = ReplyOf<"/v1/personas/{id}/versions", "get">["versions"][number];

/** Number of groups whose names are shown. */
const MAX_NAMES = 3;

/** Badges that say who gets a version. */
function Audience({ persona, version }: { readonly persona: Persona; readonly version: number }) {
  const rollout = persona.rollouts.find((each) => each.version === version);
  const hasGroups = (rollout?.group_ids.length ?? 0) > 0;
  const groups = useResource(hasGroups ? "groups" : null, () => api.GET("/v1/groups")).value?.groups ?? [];
  const names = (rollout?.group_ids ?? []).map(
    (id) => groups.find((group) => group.id === id)?.name ?? t("Another group"),
  );
  if (version !== persona.version && !rollout && persona.endpoint?.version !== version) return <>–</>;
  return (
    <div class="row wrap audience">
      {version === persona.version && <Badge kind="success">{t("Everyone")}</Badge>}
      {rollout?.percent != null && (
        <Badge kind="accent">{t("{percent} % of conversations", { percent: rollout.percent })}</Badge>
      )}
      {names.slice(0, MAX_NAMES).map((name) => (
        <Badge key={name} kind="accent" title={name}>
          {name}
        </Badge>
      ))}
      {names.length > MAX_NAMES && (
        <Badge kind="accent" title={names.slice(MAX_NAMES).join(", ")}>
          +{formatNumber(names.length - MAX_NAMES)}
        </Badge>
      )}
      {persona.endpoint?.version === version && (
        <Badge kind={persona.endpoint.enabled ? "success" : "warning"}>{persona.endpoint.slug}</Badge>
      )}
    </div>
  );
}

/** Versions of a persona, who gets them, and how they were used and rated. */
export function PersonaVersions({ persona, shown }: { readonly persona: Persona; readonly shown: number }) {
  const { route } = useLocation();
  const { id, version: current } = persona;
  const [dialog, setDialog] = useState<{
    readonly kind: "publish" | "compare" | "restore";
    readonly version: number;
  } | null>(null);
  const list = usePages(
    `persona:${id}:versions`,
    (page) => api.GET("/v1/personas/{id}/versions", { params: { path: { id }, query: page } }),
    ({ versions }) => versions,
  );
  const figuresOf = useVersionFigures(id);
  const { nameOf } = usePeople();
  const withdraw = async (version: number) => {
    const path = { id, version: String(version) };
    await api.DELETE("/v1/personas/{id}/versions/{version}/publish", { params: { path } });
    invalidate("persona");
    showToast(t("The version was withdrawn."));
  };
  const actionsOf = ({ version }: Version) => [
    ...(version === shown
      ? []
      : [{ label: t("Open and try"), onSelect: () => route(personaPath(id, version)) } as const]),
    { label: t("Compare"), onSelect: () => setDialog({ kind: "compare", version }) },
    { label: t("Publish"), onSelect: () => setDialog({ kind: "publish", version }) },
    ...(persona.rollouts.some((rollout) => rollout.version === version)
      ? [{ label: t("Withdraw"), onSelect: () => void withdraw(version).catch(showError) } as const]
      : []),
    ...(version === current
      ? []
      : [{ label: t("Restore"), onSelect: () => setDialog({ kind: "restore", version }) } as const]),
  ];
  const close = () => setDialog(null);
  return (
    <section class="stack" aria-label={t("Versions")}>
      <GateSection persona={persona} />
      <ResourceStatus resource={list} lines={4} />
      <DataTable
        rows={list.entries}
        keyOf={({ version }) => String(version)}
        columns={[
          {
            label: t("Version"),
            cell: ({ version }) => (
              <a href={personaPath(id, version)} class="nowrap" aria-current={version === shown ? "true" : undefined}>
                {t("Version {number}", { number: version })}
              </a>
            ),
          },
          {
            label: t("Published to"),
            cell: ({ version }) => <Audience persona={persona} version={version} />,
          },
          {
            label: t("Note"),
            className: "text",
            cell: ({ note, restored_from }) => (
              <div class="breaking">
                {restored_from !== null && (
                  <p class="muted small">{t("Restored from version {number}", { number: restored_from })}</p>
                )}
                {note ?? (restored_from === null && "–")}
              </div>
            ),
          },
          {
            label: t("By"),
            title: ({ created_at }) => formatDateTime(created_at),
            cell: ({ author_id, created_at }) => (
              <div>
                {nameOf(author_id)} <span class="muted small nowrap">{formatAgo(created_at)}</span>
              </div>
            ),
          },
          ...(figuresOf
            ? [
                {
                  label: t("Answers"),
                  className: "number",
                  cell: ({ version }: Version) => {
                    const { requests, cost_usd } = figuresOf(version);
                    if (requests === 0) return "–";
                    return (
                      <div>
                        {formatNumber(requests)} <span class="muted small nowrap">{formatCost(cost_usd)}</span>
                      </div>
                    );
                  },
                },
                {
                  label: t("Ratings"),
                  className: "number",
                  title: ({ version }: Version) => {
                    const { up, down } = figuresOf(version);
                    return t("{up} good, {down} bad", { up: formatNumber(up), down: formatNumber(down) });
                  },
                  cell: ({ version }: Version) => {
                    const { up, down } = figuresOf(version);
                    return up + down === 0 ? "–" : `+${formatNumber(up)} −${formatNumber(down)}`;
                  },
                },
              ]
            : []),
          {
            label: null,
            cell: (each) => (
              <Menu
                label={t("Actions for {name}", { name: t("Version {number}", { number: each.version }) })}
                entries={actionsOf(each)}
              />
            ),
          },
        ]}
      />
      <MoreButton list={list} />
      {figuresOf && (
        <p class="muted small">
          {t("Answers and costs of the last 30 days, and ratings among the latest 1,000 of the persona.")}
        </p>
      )}
      {dialog?.kind === "publish" && (
        <PublishVersionDialog persona={persona} version={dialog.version} onClose={close} />
      )}
      {dialog?.kind === "compare" && (
        <CompareDialog
          personaId={id}
          versions={list.entries.map(({ version }) => version)}
          initial={
            dialog.version === current
              ? [Math.max(1, current - 1), current]
              : [Math.min(dialog.version, current), Math.max(dialog.version, current)]
          }
          onClose={close}
        />
      )}
      {dialog?.kind === "restore" && (
        <ConfirmDialog
          title={t("Restore version {number}?", { number: dialog.version })}
          text={
            persona.gate
              ? t("A draft with its fields is made, which you can publish if it passes the gate.")
              : t(
                  "A new version with its fields is made, and everyone gets it. Publications to groups and shares end. Who can use the persona stays as it is.",
                )
          }
          action={t("Restore")}
          onClose={close}
          onConfirm={async () => {
            const path = { id, version: String(dialog.version) };
            await api.POST("/v1/personas/{id}/versions/{version}/restore", {
              params: { path },
              body: { publish: persona.gate === null },
            });
            invalidate("persona");
            showToast(t("Restored."));
            route(personaPath(id, undefined, "versions"));
          }}
        />
      )}
    </section>
  );
}
