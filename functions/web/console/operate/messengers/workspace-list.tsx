import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import type { Resource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";

/** Workspaces of a messenger as cards, with a dialog that adds one. */
export function WorkspaceList<Workspace extends { readonly id: string; readonly name: string }>(props: {
  readonly title: string;
  readonly intro: string;
  readonly emptyText: string;
  /** Key of the resource in `useResource`, to load it again after a change. */
  readonly resourceName: string;
  readonly list: Resource<{ readonly workspaces: readonly Workspace[] }> & { reload: () => void };
  /** Path of the page; the path of a workspace adds its id. */
  readonly path: string;
  readonly nameLabel: string;
  readonly schema: BodySchema<{ name: string }>;
  /** Another way to add a workspace, which most people should choose. */
  readonly preferredAction?: ComponentChildren;
  readonly create: (body: { name: string }) => Promise<{ readonly id: string }>;
  readonly renderState: (workspace: Workspace) => ComponentChildren;
}) {
  const { list, path, preferredAction } = props;
  const { route } = useLocation();
  return (
    <ResourcePage
      title={props.title}
      intro={props.intro}
      resource={list}
      entries={list.value?.workspaces}
      name={props.resourceName}
      create={(open) => (
        <>
          {preferredAction}
          <Button kind={preferredAction ? "" : "primary"} icon="plus" onClick={open}>
            {t("Add a workspace")}
          </Button>
        </>
      )}
      empty={{ icon: "chat", title: t("No workspace yet"), text: props.emptyText }}
      textOf={({ name }) => name}
      card={(workspace) => (
        <a key={workspace.id} class="card stack tight" href={`${path}/${workspace.id}`}>
          <h2 class="truncate">{workspace.name}</h2>
          <div class="row wrap">{props.renderState(workspace)}</div>
        </a>
      )}
      dialog={(_, close) => (
        <FormDialog
          title={t("Add a workspace")}
          action={t("Create")}
          schema={props.schema}
          fields={[{ name: "name", label: props.nameLabel }]}
          resource={props.resourceName}
          onSave={props.create}
          onSaved={({ id }) => route(`${path}/${id}`)}
          onClose={close}
        />
      )}
    />
  );
}
