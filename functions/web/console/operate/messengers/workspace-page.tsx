import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Messenger } from "../../../../../shared/api/messengers/event-ref.ts";
import { forget, invalidate, useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { usePersonas } from "../../lib/lists.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/fields.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { ResourceStatus } from "../../ui/status.tsx";
import { messengerTexts } from "./messenger-texts.ts";
import { describeRefusal } from "./refusal-texts.ts";
import { SlackSetUp } from "./slack-set-up.tsx";
import { TeamsSetUp } from "./teams-set-up.tsx";
import { WorkspaceState } from "./workspace-state.tsx";

/** Page of one workspace of a messenger: its state, its persona, the steps of its set-up, and how to switch it off. */
export function WorkspacePage({ messenger, id }: { readonly messenger: Messenger; readonly id: string }) {
  const { title, removalText } = messengerTexts(messenger);
  const resourceName = `${messenger}-workspaces`;
  const backPath = `/console/operate/${messenger}`;
  const params = { path: { messenger, id } };
  const { route } = useLocation();
  const resource = useResource(`${resourceName}:${id}`, () =>
    api.GET("/v1/messengers/{messenger}/workspaces/{id}", { params }),
  );
  const personas = usePersonas();
  const [isRemoving, setRemoving] = useState(false);
  const workspace = resource.value;
  const reload = () => invalidate(resourceName);
  const change = (body: { enabled?: boolean; persona_id?: string | null }) =>
    void api.PATCH("/v1/messengers/{messenger}/workspaces/{id}", { params, body }).then(reload, showError);
  return (
    <PageLayout title={workspace?.name ?? t("Workspace")} back={{ path: backPath, label: title }}>
      <ResourceStatus resource={resource} />
      {workspace && (
        <>
          <div class="row wrap">
            <WorkspaceState workspace={workspace} />
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
          {messenger === "slack" ? (
            <SlackSetUp workspace={workspace} />
          ) : (
            <TeamsSetUp workspace={workspace} reload={reload} />
          )}
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
          text={removalText}
          action={t("Remove")}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.DELETE("/v1/messengers/{messenger}/workspaces/{id}", { params });
            forget(`${resourceName}:${id}`);
            invalidate(resourceName);
            route(backPath);
          }}
        />
      )}
    </PageLayout>
  );
}
