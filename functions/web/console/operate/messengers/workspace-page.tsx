import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { forget, invalidate, useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { usePersonas } from "../../lib/lists.ts";
import { showError } from "../../lib/toast.ts";
import { Button } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { describeRefusal } from "./refusal-texts.ts";

interface MessengerWorkspace {
  readonly name: string;
  readonly persona_id: string | null;
  readonly enabled: boolean;
  readonly error: string | null;
}

/** Page of one workspace of a messenger: its state, its persona, the steps of its set-up, and how to switch it off. */
export function WorkspacePage<Workspace extends MessengerWorkspace>(props: {
  readonly id: string;
  /** Key of the list in `useResource`; the key of the workspace adds its id. */
  readonly resourceName: string;
  /** Path and title of the page with the list. */
  readonly back: { readonly path: string; readonly label: string };
  readonly load: () => Promise<Workspace>;
  readonly change: (body: { enabled?: boolean; persona_id?: string | null }) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  /** Consequences of the removal, for the dialog that asks before it. */
  readonly removalText: string;
  readonly renderState: (workspace: Workspace) => ComponentChildren;
  readonly renderSetUp: (workspace: Workspace, reload: () => void) => ComponentChildren;
}) {
  const { resourceName, back } = props;
  const { route } = useLocation();
  const resource = useResource(`${resourceName}:${props.id}`, props.load);
  const personas = usePersonas();
  const [isRemoving, setRemoving] = useState(false);
  const workspace = resource.value;
  const reload = () => invalidate(resourceName);
  const change = (body: Parameters<typeof props.change>[0]) => void props.change(body).then(reload, showError);
  return (
    <PageLayout title={workspace?.name ?? t("Workspace")} back={back}>
      <ResourceStatus resource={resource} />
      {workspace && (
        <>
          <div class="row wrap">
            {props.renderState(workspace)}
            {workspace.error && (
              <span class="small" title={workspace.error}>
                {describeRefusal(workspace.error)}
              </span>
            )}
          </div>
          <SelectField
            label={t("Persona of new conversations")}
            value={workspace.persona_id ?? ""}
            onValue={(persona) => change({ persona_id: persona || null })}
            options={[
              ["", t("Assistant without a persona")],
              ...(personas.value?.personas ?? []).map((each) => [each.id, each.name] as const),
            ]}
          />
          {props.renderSetUp(workspace, reload)}
          <div class="row wrap">
            <Button isSmall onClick={() => change({ enabled: !workspace.enabled })}>
              {workspace.enabled ? t("Switch off") : t("Switch on")}
            </Button>
            <Button isSmall kind="danger-outline" onClick={() => setRemoving(true)}>
              {t("Remove the workspace")}
            </Button>
          </div>
        </>
      )}
      {isRemoving && (
        <ConfirmDialog
          title={t("Remove the workspace {name}?", { name: workspace?.name ?? "" })}
          text={props.removalText}
          action={t("Remove")}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await props.remove();
            forget(`${resourceName}:${props.id}`);
            invalidate(resourceName);
            route(back.path);
          }}
        />
      )}
    </PageLayout>
  );
}
