import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { TestSet } from "../../../../../shared/api/evaluations/test-sets.ts";
import { ScheduleDialog } from "../../account/schedule-dialog.tsx";
import { forget, invalidate, useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { Menu } from "../../ui/menu.tsx";
import { useConfirmation } from "../../ui/resource-page.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { personaPath } from "../versions/persona-path.ts";
import { RunDialog } from "./run-dialog.tsx";
import { TestItems } from "./test-items.tsx";
import { type TestSetTab, testSetPath } from "./test-paths.ts";
import { TestRuns } from "./test-runs.tsx";
import { deletionOf, TestSetDialog } from "./test-sets.tsx";

/** Loads a test set with its persona. */
export const useTestSet = (id: string | null) =>
  useResource(id === null ? null : `test-sets:${id}`, async () => {
    const set = await api.GET("/v1/test-sets/{id}", { params: { path: { id: id ?? "" } } });
    const persona = await api.GET("/v1/personas/{id}", { params: { path: { id: set.persona_id } } });
    return { set, persona };
  });

/** Page of a test set: its items and its runs. */
export function TestSetPage({ id }: { readonly id: string }) {
  const { query, route } = useLocation();
  const resource = useTestSet(id);
  const { set, persona } = resource.value ?? {};
  const [dialog, setDialog] = useState<"rename" | "run" | "schedule" | null>(null);
  const { confirm, confirmation } = useConfirmation(() => {
    forget(`test-sets:${id}`);
    invalidate("test-sets:of");
    route(set ? personaPath(set.persona_id, undefined, "tests") : "/console/assistants/personas");
  });
  const tab: TestSetTab = query.tab === "runs" ? "runs" : "items";
  const close = () => setDialog(null);
  const actionsOf = (shown: TestSet) => (
    <>
      <Button kind="primary" icon="send" onClick={() => setDialog("run")}>
        {t("Run")}
      </Button>
      <Menu
        label={t("Actions for {name}", { name: shown.name })}
        entries={[
          { label: t("Run regularly"), icon: "clock", onSelect: () => setDialog("schedule") },
          { label: t("Rename"), icon: "edit", onSelect: () => setDialog("rename") },
          { label: t("Delete"), icon: "trash", isDanger: true, onSelect: () => confirm(deletionOf(shown)) },
        ]}
      />
    </>
  );
  return (
    <PageLayout
      title={set?.name ?? t("Test set")}
      intro={set?.description}
      back={
        persona
          ? { path: personaPath(persona.id, undefined, "tests"), label: persona.name }
          : { path: "/console/assistants/personas", label: t("Personas") }
      }
      actions={set && actionsOf(set)}
    >
      <ResourceStatus resource={resource} />
      {set && persona && (
        <>
          <Tabs
            label={set.name}
            value={tab}
            onValue={(next) => route(testSetPath(id, next), true)}
            options={[
              ["items", t("Items")],
              ["runs", t("Runs")],
            ]}
          />
          {tab === "items" ? <TestItems key="items" setId={id} /> : <TestRuns key="runs" setId={id} />}
          {dialog === "rename" && <TestSetDialog personaId={set.persona_id} set={set} onClose={close} />}
          {dialog === "schedule" && (
            <ScheduleDialog
              schedule={null}
              setId={set.id}
              onClose={close}
              onSaved={(schedule) => route(`/console/account/schedules/${schedule.id}`)}
            />
          )}
          {dialog === "run" && <RunDialog set={set} persona={persona} onClose={close} />}
        </>
      )}
      {confirmation}
    </PageLayout>
  );
}
