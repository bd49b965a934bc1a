import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { useSlackWorkspaces } from "../../lib/lists.ts";
import { showError } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { FieldForm } from "../../ui/form-dialog.tsx";
import { Badge } from "../../ui/status.tsx";
import { WorkspaceList } from "../messengers/workspace-list.tsx";
import { WorkspacePage } from "../messengers/workspace-page.tsx";

type SlackWorkspace = ReplyOf<"/v1/slack/workspaces/{id}", "get">;

/** List of Slack workspaces, or one workspace with its set-up. */
export function SlackWorkspaces({ current }: { readonly current: string | null }) {
  return current ? <Workspace key={current} id={current} /> : <List />;
}

function StatusBadge({ status }: { readonly status: "incomplete" | "ready" | "disabled" | "failed" }) {
  const labels = {
    incomplete: t("Set-up not complete"),
    ready: t("Ready"),
    disabled: t("Switched off"),
    failed: t("Refused by Slack"),
  };
  const kinds = { incomplete: "warning", ready: "success", disabled: "", failed: "danger" } as const;
  return <Badge kind={kinds[status]}>{labels[status]}</Badge>;
}

/** Sends the browser to Slack, where an administrator chooses the workspace for the app of the deployment. */
const install = () =>
  api.POST("/v1/slack/installations", { body: {} }).then(({ url }) => location.assign(url), showError);

function List() {
  const list = useSlackWorkspaces();
  return (
    <WorkspaceList
      title={t("Slack")}
      intro={t("People ask in Slack with a mention, a direct message or in a thread, with their own rights.")}
      emptyText={t("Each workspace has an app of its own, which you create from a manifest.")}
      resourceName="slack-workspaces"
      list={list}
      path="/console/operate/slack"
      nameLabel={t("Name of the app in Slack")}
      schema={bodySchema("/v1/slack/workspaces", "post")}
      preferredAction={
        list.value?.has_app && (
          <Button kind="primary" icon="plus" onClick={install}>
            {t("Add to Slack")}
          </Button>
        )
      }
      create={(body) => api.POST("/v1/slack/workspaces", { body })}
      renderState={({ status, team_name }) => (
        <>
          <StatusBadge status={status} />
          <span class="small muted">{team_name}</span>
        </>
      )}
    />
  );
}

/** Form for the secrets of an app. What is left empty stays as it is. */
const Secrets = ({ id }: { readonly id: string }) => (
  <FieldForm
    schema={bodySchema("/v1/slack/workspaces/{id}", "patch")}
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
      api.PATCH("/v1/slack/workspaces/{id}", {
        params: { path: { id } },
        body: { ...(token && { bot_token: token.trim() }), ...(secret && { signing_secret: secret.trim() }) },
      })
    }
  />
);

/** Steps of the set-up of an app that belongs to the workspace. */
function OwnApp({ workspace }: { readonly workspace: SlackWorkspace }) {
  return (
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
}

function Workspace({ id }: { readonly id: string }) {
  const params = { path: { id } };
  return (
    <WorkspacePage<SlackWorkspace>
      id={id}
      resourceName="slack-workspaces"
      back={{ path: "/console/operate/slack", label: t("Slack") }}
      load={() => api.GET("/v1/slack/workspaces/{id}", { params })}
      change={(body) => api.PATCH("/v1/slack/workspaces/{id}", { params, body })}
      remove={() => api.DELETE("/v1/slack/workspaces/{id}", { params })}
      removalText={t("The app is not answered any more, and its secrets are deleted. Conversations are kept.")}
      renderState={({ status, team_name }) => (
        <>
          <StatusBadge status={status} />
          {team_name && <span class="small muted">{team_name}</span>}
        </>
      )}
      renderSetUp={(workspace) =>
        workspace.installed ? (
          <section class="section stack">
            <p>{t("The app is installed with “Add to Slack”. Install it again after Slack has refused its token.")}</p>
            <div class="row">
              <Button isSmall onClick={install}>
                {t("Install again")}
              </Button>
            </div>
          </section>
        ) : (
          <OwnApp workspace={workspace} />
        )
      }
    />
  );
}
