import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { t } from "../../lib/i18n.ts";
import { usePersonas, useTeamsWorkspaces } from "../../lib/lists.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Badge, Button, CodeBlock, ConfirmDialog, ResourceStatus, SelectField, TextField } from "../../ui/controls.tsx";
import { Form, FormActions } from "../../ui/form.tsx";
import { Page } from "../../ui/layout.tsx";
import { describeRefusal } from "../messengers/refusal-texts.ts";
import { WorkspaceList } from "../messengers/workspace-list.tsx";

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
      path="/console/build/teams"
      nameLabel={t("Name of the bot in Teams")}
      maxNameLength={30}
      create={async (name) => (await api.POST("/v1/teams/workspaces", { body: { name } })).id}
      renderState={({ status }) => <StatusBadge status={status} />}
    />
  );
}

function App({ workspace, onSaved }: { readonly workspace: TeamsWorkspace; readonly onSaved: () => void }) {
  const [id, setId] = useState(workspace.app_id ?? "");
  const [tenant, setTenant] = useState(workspace.app_tenant_id ?? "");
  const [secret, setSecret] = useState("");
  return (
    <Form
      onSubmit={async () => {
        const app = { id: id.trim(), tenant_id: tenant.trim() || null, secret: secret.trim() };
        await api.PATCH("/v1/teams/workspaces/{id}", { params: { path: { id: workspace.id } }, body: { app } });
        setSecret("");
        showToast(t("Saved."));
        onSaved();
      }}
    >
      <TextField label={t("Microsoft App ID")} name="app.id" value={id} onValue={setId} required />
      <TextField
        label={t("App tenant ID")}
        name="app.tenant_id"
        hint={t("Empty for a multi-tenant bot.")}
        value={tenant}
        onValue={setTenant}
      />
      <TextField
        label={t("Client secret")}
        name="app.secret"
        type="password"
        hint={t("Under “Manage Password”. It is verified with Microsoft and stored encrypted.")}
        value={secret}
        onValue={setSecret}
        required
      />
      <FormActions>
        <Button kind="primary" type="submit">
          {t("Save")}
        </Button>
      </FormActions>
    </Form>
  );
}

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
          <CodeBlock title={t("Code")} code={`connect ${code}`} />
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
  const { route } = useLocation();
  const params = { path: { id } };
  const resource = useResource(`teams-workspaces:${id}`, () => api.GET("/v1/teams/workspaces/{id}", { params }));
  const personas = usePersonas();
  const [isRemoving, setRemoving] = useState(false);
  const workspace = resource.value;
  const reload = () => {
    resource.reload();
    invalidate("teams-workspaces");
  };
  const change = (body: { enabled?: boolean; persona_id?: string | null }) =>
    api.PATCH("/v1/teams/workspaces/{id}", { params, body }).then(reload, showError);
  return (
    <Page title={workspace?.name ?? t("Workspace")} back={{ path: "/console/build/teams", label: t("Teams") }}>
      <ResourceStatus resource={resource} />
      {workspace && (
        <>
          <div class="row wrap">
            <StatusBadge status={workspace.status} />
            {workspace.teams_tenant_id && <span class="small mono">{workspace.teams_tenant_id}</span>}
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
            <CodeBlock title={t("Messaging endpoint")} code={workspace.messaging_endpoint} />
          </section>
          <section class="section stack">
            <h2>{t("2. Paste its id and secret")}</h2>
            <App workspace={workspace} onSaved={reload} />
          </section>
          {workspace.manifest && (
            <section class="section stack">
              <h2>{t("3. Upload the app")}</h2>
              <p>{t("Zip this manifest with two icons, and upload the file in Teams or its admin center.")}</p>
              <CodeBlock title={t("Manifest")} code={JSON.stringify(workspace.manifest, null, 2)} />
            </section>
          )}
          {workspace.app_id && workspace.teams_tenant_id === null && <Connection id={id} onCheck={reload} />}
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
          text={t("The bot does not answer any more, and its secret is deleted. Conversations are kept.")}
          action={t("Remove")}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await api.DELETE("/v1/teams/workspaces/{id}", { params });
            invalidate("teams-workspaces");
            route("/console/build/teams");
          }}
        />
      )}
    </Page>
  );
}
