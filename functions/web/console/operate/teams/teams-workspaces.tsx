import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { useTeamsWorkspaces } from "../../lib/lists.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { FieldForm } from "../../ui/form-dialog.tsx";
import { Badge } from "../../ui/status.tsx";
import { WorkspaceList } from "../messengers/workspace-list.tsx";
import { WorkspacePage } from "../messengers/workspace-page.tsx";

type TeamsWorkspace = ReplyOf<"/v1/teams/workspaces/{id}", "get">;

/** List of Teams workspaces, or one workspace with its set-up. */
export function TeamsWorkspaces({ current }: { readonly current: string | null }) {
  return current ? <Workspace key={current} id={current} /> : <List />;
}

function StatusBadge({ status }: Pick<TeamsWorkspace, "status">) {
  const labels = {
    incomplete: t("Set-up not complete"),
    unconnected: t("Not connected yet"),
    ready: t("Ready"),
    disabled: t("Switched off"),
    failed: t("Refused by Microsoft"),
  };
  const kinds = {
    incomplete: "warning",
    unconnected: "warning",
    ready: "success",
    disabled: "",
    failed: "danger",
  } as const;
  return <Badge kind={kinds[status]}>{labels[status]}</Badge>;
}

function List() {
  return (
    <WorkspaceList
      title={t("Teams")}
      intro={t("People ask in Teams in a chat with the bot, with a mention or in a thread, with their own rights.")}
      emptyText={t("Each workspace is a bot of Azure for one organization of Teams.")}
      resourceName="teams-workspaces"
      list={useTeamsWorkspaces()}
      path="/console/operate/teams"
      nameLabel={t("Name of the bot in Teams")}
      schema={bodySchema("/v1/teams/workspaces", "post")}
      create={(body) => api.POST("/v1/teams/workspaces", { body })}
      renderState={({ status }) => <StatusBadge status={status} />}
    />
  );
}

const trim = (draft: unknown) => String(draft).trim();

const App = ({ workspace }: { readonly workspace: TeamsWorkspace }) => (
  <FieldForm
    schema={bodySchema("/v1/teams/workspaces/{id}", "patch")}
    value={{ app: { id: workspace.app_id, tenant_id: workspace.app_tenant_id } }}
    fields={[
      { name: "app.id", label: t("Microsoft App ID"), isRequired: true, parse: trim },
      { name: "app.tenant_id", label: t("App tenant ID"), hint: t("Empty for a multi-tenant bot."), parse: trim },
      {
        name: "app.secret",
        label: t("Client secret"),
        type: "password",
        hint: t("Under “Manage Password”. It is verified with Microsoft and stored encrypted."),
        isRequired: true,
        parse: trim,
      },
    ]}
    resource="teams-workspaces"
    onSave={(body) => api.PATCH("/v1/teams/workspaces/{id}", { params: { path: { id: workspace.id } }, body })}
  />
);

/** Code that an administrator sends to the bot in Teams. */
function Connection({ id, onCheck }: { readonly id: string; readonly onCheck: () => void }) {
  const [code, setCode] = useState<string | null>(null);
  const create = () =>
    api
      .POST("/v1/teams/workspaces/{id}/codes", { params: { path: { id } } })
      .then((created) => setCode(created.code), showError);
  return (
    <section class="section stack">
      <h2>{t("4. Connect the organization")}</h2>
      {code !== null && (
        <>
          <p>{t("Write this to the bot in Teams within 15 minutes. Your organization there is then connected.")}</p>
          <CodeSnippet title={t("Code")} code={`connect ${code}`} />
        </>
      )}
      <div class="row wrap">
        <Button isSmall onClick={create}>
          {t("Create a code")}
        </Button>
        {code !== null && (
          <Button isSmall onClick={onCheck}>
            {t("Check the connection")}
          </Button>
        )}
      </div>
    </section>
  );
}

function Workspace({ id }: { readonly id: string }) {
  const params = { path: { id } };
  return (
    <WorkspacePage<TeamsWorkspace>
      id={id}
      resourceName="teams-workspaces"
      back={{ path: "/console/operate/teams", label: t("Teams") }}
      load={() => api.GET("/v1/teams/workspaces/{id}", { params })}
      change={(body) => api.PATCH("/v1/teams/workspaces/{id}", { params, body })}
      remove={() => api.DELETE("/v1/teams/workspaces/{id}", { params })}
      removalText={t("The bot does not answer any more, and its secret is deleted. Conversations are kept.")}
      renderState={({ status, teams_tenant_id }) => (
        <>
          <StatusBadge status={status} />
          {teams_tenant_id && <span class="small mono">{teams_tenant_id}</span>}
        </>
      )}
      renderSetUp={(workspace, reload) => (
        <>
          <section class="section stack">
            <h2>{t("1. Create the bot")}</h2>
            <p>
              {t(
                "In the Azure portal, create an “Azure Bot” with this messaging endpoint, and add the channel “Microsoft Teams”.",
              )}{" "}
              <a href="https://portal.azure.com" target="_blank" rel="noreferrer">
                portal.azure.com
              </a>
            </p>
            <CodeSnippet title={t("Messaging endpoint")} code={workspace.messaging_endpoint} />
          </section>
          <section class="section stack">
            <h2>{t("2. Paste its id and secret")}</h2>
            <App workspace={workspace} />
          </section>
          {workspace.manifest && (
            <section class="section stack">
              <h2>{t("3. Upload the app")}</h2>
              <p>{t("Zip this manifest with two icons, and upload the file in Teams or its admin center.")}</p>
              <CodeSnippet title={t("Manifest")} code={JSON.stringify(workspace.manifest, null, 2)} />
            </section>
          )}
          {workspace.app_id && workspace.teams_tenant_id === null && <Connection id={id} onCheck={reload} />}
        </>
      )}
    />
  );
}
