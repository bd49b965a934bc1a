import type { TestSet } from "../../../../../shared/api/evaluations/test-sets.ts";
import { formatAgo } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ResourceSection } from "../../ui/resource-page.tsx";
import { testSetPath } from "./test-paths.ts";

/** Form for the name of a test set; of a new one if there is none. */
export function TestSetDialog({
  personaId,
  set,
  onSaved,
  onClose,
}: {
  readonly personaId: string;
  readonly set: TestSet | null;
  readonly onSaved?: ((set: TestSet) => void) | undefined;
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={set?.name ?? t("New test set")}
      schema={bodySchema("/v1/test-sets", "post")}
      value={set}
      fields={[
        { name: "name", label: t("Name"), placeholder: t("Prices and opening hours") },
        { name: "description", label: t("Description"), rows: 3 },
      ]}
      resource="test-sets"
      savedText={t("Saved.")}
      onSave={(body): Promise<TestSet> =>
        set
          ? api.PATCH("/v1/test-sets/{id}", { params: { path: { id: set.id } }, body })
          : api.POST("/v1/test-sets", { body: { ...body, persona_id: personaId } })
      }
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

/** Question before a test set is deleted, and the request that deletes it. */
export const deletionOf = ({ id, name }: TestSet) => ({
  title: t("Delete {name}?", { name }),
  text: t("Its items and the results of its runs will be deleted for good."),
  send: () => api.DELETE("/v1/test-sets/{id}", { params: { path: { id } } }),
});

export const useTestSets = (personaId: string) =>
  usePages(
    `test-sets:of:${personaId}`,
    (page) => api.GET("/v1/test-sets", { params: { query: { persona_id: personaId, ...page } } }),
    (reply) => reply.test_sets,
  );

/** Test sets of a persona. */
export function TestSets({ personaId }: { readonly personaId: string }) {
  const list = useTestSets(personaId);
  return (
    <ResourceSection
      label={t("Test sets")}
      resource={list}
      entries={list.value?.entries}
      name="test-sets:of"
      newText={t("New test set")}
      dialog={(set, close) => <TestSetDialog personaId={personaId} set={set} onClose={close} />}
      empty={{
        icon: "check",
        title: t("No test set yet"),
        text: t(
          "A test set has questions with what is expected of the answers. A run answers them with several versions and compares these.",
        ),
      }}
      textOf={({ name, description }) => `${name} ${description}`}
      columns={({ edit, confirm }) => [
        {
          label: t("Name"),
          className: "text",
          cell: ({ id, name }) => (
            <a class="break" href={testSetPath(id)}>
              {name}
            </a>
          ),
        },
        {
          label: t("Description"),
          className: "text",
          cell: ({ description }) => <span class="clamp">{description || "–"}</span>,
        },
        { label: t("Changed"), cell: ({ updated_at }) => formatAgo(updated_at) },
        {
          label: null,
          cell: (set) => (
            <Menu
              label={t("Actions for {name}", { name: set.name })}
              entries={[
                { label: t("Rename"), icon: "edit", onSelect: () => edit(set) },
                { label: t("Delete"), icon: "trash", isDanger: true, onSelect: () => confirm(deletionOf(set)) },
              ]}
            />
          ),
        },
      ]}
    />
  );
}
