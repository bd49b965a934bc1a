import type { MessengerWorkspace } from "../../../../../shared/api/messengers/workspaces.ts";
import { t } from "../../lib/i18n.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { FieldForm } from "../../ui/form-dialog.tsx";

/** Sends the browser to Slack, where an administrator chooses the workspace for the app of the deployment. */
export const installSlackApp = () =>
  api
    .POST("/v1/messengers/{messenger}/installations", { params: { path: { messenger: "slack" } }, body: {} })
    .then(({ url }) => location.assign(url), showError);

/** Form for the secrets of an app. What is left empty stays as it is. */
const Secrets = ({ id }: { readonly id: string }) => (
  <FieldForm
    schema={bodySchema("/v1/messengers/{messenger}/workspaces/{id}", "patch")}
    fields={[
      {
        name: "bot_token",
        label: t("Bot token"),
        type: "password",
        placeholder: "xoxb-…",
        hint: t("Under “OAuth & Permissions”. It is verified with Slack and stored encrypted."),
      },
      { name: "signing_secret", label: t("Signing secret"), type: "password", hint: t("Under “Basic Information”.") },
    ]}
    resource="slack-workspaces"
    onSave={({ bot_token: token, signing_secret: secret }) =>
      api.PATCH("/v1/messengers/{messenger}/workspaces/{id}", {
        params: { path: { messenger: "slack", id } },
        body: { ...(token && { bot_token: token.trim() }), ...(secret && { signing_secret: secret.trim() }) },
      })
    }
  />
);

/** Steps of the set-up of an app that belongs to the workspace. */
const OwnApp = ({ workspace }: { readonly workspace: MessengerWorkspace }) => (
  <>
    <section class="section stack">
      <h2>{t("1. Create the app")}</h2>
      <p>
        {t("In Slack, choose “Create New App” and “From a manifest”, and paste this.")}{" "}
        <a href="https://api.slack.com/apps" target="_blank" rel="noreferrer">
          api.slack.com/apps
        </a>
      </p>
      <CodeSnippet title={t("Manifest")} code={JSON.stringify(workspace.manifest, null, 2)} />
    </section>
    <section class="section stack">
      <h2>{t("2. Install it, and paste its secrets")}</h2>
      <Secrets id={workspace.id} />
    </section>
    <section class="section stack">
      <h2>{t("3. Let Slack verify the address")}</h2>
      <p>{t("Under “Event Subscriptions”, choose “Retry”. Then invite the app to a channel.")}</p>
      <CodeSnippet title={t("Address")} code={workspace.request_url} />
    </section>
  </>
);

/** Set-up of a workspace of Slack. */
export function SlackSetUp({ workspace }: { readonly workspace: MessengerWorkspace }) {
  if (!workspace.installed) return <OwnApp workspace={workspace} />;
  return (
    <section class="section stack">
      <p>{t("The app is installed with “Add to Slack”. Install it again after Slack has refused its token.")}</p>
      <div class="row">
        <Button isSmall onClick={installSlackApp}>
          {t("Install again")}
        </Button>
      </div>
    </section>
  );
}
