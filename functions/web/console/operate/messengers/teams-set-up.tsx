import { useState } from "preact/hooks";
import type { MessengerWorkspace } from "../../../../../shared/api/messengers/workspaces.ts";
import { t } from "../../lib/i18n.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { FieldForm } from "../../ui/form-dialog.tsx";

const trim = (draft: unknown) => String(draft).trim();

const App = ({ workspace }: { readonly workspace: MessengerWorkspace }) => (
  <FieldForm
    schema={bodySchema("/v1/messengers/{messenger}/workspaces/{id}", "patch")}
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
    onSave={(body) =>
      api.PATCH("/v1/messengers/{messenger}/workspaces/{id}", {
        params: { path: { messenger: "teams", id: workspace.id } },
        body,
      })
    }
  />
);

/** Code that an administrator sends to the bot in Teams. */
function Connection({ id, onCheck }: { readonly id: string; readonly onCheck: () => void }) {
  const [code, setCode] = useState<string | null>(null);
  const create = () =>
    api
      .POST("/v1/messengers/{messenger}/workspaces/{id}/codes", { params: { path: { messenger: "teams", id } } })
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

/** Set-up of a bot of Teams. */
export const TeamsSetUp = ({
  workspace,
  reload,
}: {
  readonly workspace: MessengerWorkspace;
  readonly reload: () => void;
}) => (
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
      <CodeSnippet title={t("Messaging endpoint")} code={workspace.request_url} />
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
    {workspace.app_id && workspace.organization_id === null && <Connection id={workspace.id} onCheck={reload} />}
  </>
);
