import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { invalidate, type Resource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Form, FormActions } from "../../ui/form.tsx";
import { ListPage } from "../../ui/list.tsx";

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
  readonly maxNameLength: number;
  /** Another way to add a workspace, which most people should choose. */
  readonly preferredAction?: ComponentChildren;
  /** Adds a workspace. @returns its id */
  readonly create: (name: string) => Promise<string>;
  readonly renderState: (workspace: Workspace) => ComponentChildren;
}) {
  const { list, path, preferredAction } = props;
  const { route } = useLocation();
  const [isCreating, setCreating] = useState(false);
  const [name, setName] = useState("");
  const workspaces = list.value?.workspaces ?? [];
  return (
    <ListPage
      title={props.title}
      intro={props.intro}
      back={{ path: "/console/build", label: t("Build"), isNarrowOnly: true }}
      resource={list}
      count={workspaces.length}
      create={
        <>
          {preferredAction}
          <Button kind={preferredAction ? "" : "primary"} icon="plus" onClick={() => setCreating(true)}>
            {t("Add a workspace")}
          </Button>
        </>
      }
      empty={{ icon: "chat", title: t("No workspace yet"), text: props.emptyText }}
    >
      <div class="cards">
        {workspaces.map((workspace) => (
          <a key={workspace.id} class="card stack tight" href={`${path}/${workspace.id}`}>
            <h2 class="truncate">{workspace.name}</h2>
            <div class="row wrap">{props.renderState(workspace)}</div>
          </a>
        ))}
      </div>
      {isCreating && (
        <Dialog title={t("Add a workspace")} onClose={() => setCreating(false)}>
          <Form
            onSubmit={async () => {
              const id = await props.create(name);
              invalidate(props.resourceName);
              route(`${path}/${id}`);
            }}
          >
            <TextField
              label={props.nameLabel}
              name="name"
              value={name}
              onValue={setName}
              maxLength={props.maxNameLength}
              required
              autoFocus
            />
            <FormActions>
              <Button onClick={() => setCreating(false)}>{t("Cancel")}</Button>
              <Button kind="primary" type="submit">
                {t("Create")}
              </Button>
            </FormActions>
          </Form>
        </Dialog>
      )}
    </ListPage>
  );
}
