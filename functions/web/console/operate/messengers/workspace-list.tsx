import { useLocation } from "preact-iso";
import type { Messenger } from "../../../../../shared/api/messengers/event-ref.ts";
import { t } from "../../lib/i18n.ts";
import { useMessengerWorkspaces } from "../../lib/lists.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { messengerTexts } from "./messenger-texts.ts";
import { installSlackApp } from "./slack-set-up.tsx";
import { WorkspaceState } from "./workspace-state.tsx";

/** Workspaces of a messenger as cards, with a dialog that adds one. */
export function WorkspaceList({ messenger }: { readonly messenger: Messenger }) {
  const list = useMessengerWorkspaces(messenger);
  const { route } = useLocation();
  const { title, intro, emptyText, nameLabel } = messengerTexts(messenger);
  const resourceName = `${messenger}-workspaces`;
  const path = `/console/operate/${messenger}`;
  return (
    <ResourcePage
      title={title}
      intro={intro}
      resource={list}
      entries={list.value?.workspaces}
      name={resourceName}
      create={(open) => (
        <>
          {list.value?.has_app && (
            <Button kind="primary" icon="plus" onClick={installSlackApp}>
              {t("Add to Slack")}
            </Button>
          )}
          <Button kind={list.value?.has_app ? "" : "primary"} icon="plus" onClick={open}>
            {t("Add a workspace")}
          </Button>
        </>
      )}
      empty={{ icon: "chat", title: t("No workspace yet"), text: emptyText }}
      textOf={({ name }) => name}
      card={(workspace) => (
        <a key={workspace.id} class="card stack tight" href={`${path}/${workspace.id}`}>
          <h2 class="truncate">{workspace.name}</h2>
          <div class="row wrap">
            <WorkspaceState workspace={workspace} />
          </div>
        </a>
      )}
      dialog={(_, close) => (
        <FormDialog
          title={t("Add a workspace")}
          action={t("Create")}
          schema={bodySchema("/v1/messengers/{messenger}/workspaces", "post")}
          fields={[{ name: "name", label: nameLabel }]}
          resource={resourceName}
          onSave={(body) =>
            api.POST("/v1/messengers/{messenger}/workspaces", { params: { path: { messenger } }, body })
          }
          onSaved={({ id }) => route(`${path}/${id}`)}
          onClose={close}
        />
      )}
    />
  );
}
