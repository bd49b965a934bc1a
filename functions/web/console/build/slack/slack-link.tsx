import { useEffect, useState } from "preact/hooks";
import { formatAgo } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { describeError, showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button, Empty, Skeleton } from "../../ui/controls.tsx";
import { Page } from "../../ui/layout.tsx";
import { DataTable, MoreButton } from "../../ui/list.tsx";

interface Account {
  readonly slack_user_id: string;
  readonly slack_user_name: string | null;
  readonly workspace_name: string;
}

const nameOf = ({ slack_user_name, slack_user_id }: Account) => slack_user_name ?? slack_user_id;

/** Question whether the account of Slack that a link was sent to is that of the user. */
function Confirmation({ workspace, token, onDone }: { workspace: string; token: string; onDone: () => void }) {
  const [account, setAccount] = useState<Account | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const body = { workspace_id: workspace, token };
  useEffect(() => {
    // The token must not stay in the history.
    history.replaceState(null, "", location.pathname);
    api
      .POST("/v1/slack/links", { body: { ...body, dry_run: true } })
      .then(setAccount, (error) => setFailure(describeError(error)));
  }, []);
  if (failure !== null) {
    return (
      <Empty icon="warning" title={t("This link is used or has expired")}>
        {t("Write to the app in Slack again; it sends a new one.")}
      </Empty>
    );
  }
  if (account === null) return <Skeleton />;
  return (
    <section class="card stack">
      <h2>{t("Is this your Slack account?")}</h2>
      <p>
        <strong>{nameOf(account)}</strong> · {account.workspace_name} ·{" "}
        <span class="mono">{account.slack_user_id}</span>
      </p>
      <p>
        {t(
          "It will ask questions and decide with your rights. If another person sent you this link, do not confirm it.",
        )}
      </p>
      <div class="actions">
        <Button onClick={onDone}>{t("Cancel")}</Button>
        <Button
          kind="primary"
          onClick={() =>
            api.POST("/v1/slack/links", { body }).then(() => {
              showToast(t("Your Slack account is linked. Ask again in Slack."));
              onDone();
            }, showError)
          }
        >
          {t("Link this account")}
        </Button>
      </div>
    </section>
  );
}

/** Page that the app in Slack sends people to: it links an account after a confirmation, and lists the linked ones. */
export function SlackLink() {
  const [request, setRequest] = useState(() => {
    const parameters = new URLSearchParams(location.search);
    const [workspace, token] = [parameters.get("workspace"), parameters.get("token")];
    return workspace && token ? { workspace, token } : null;
  });
  const links = usePages(
    "slack-links",
    (page) => api.GET("/v1/slack/links", { params: { query: page } }),
    (reply) => reply.links,
  );
  const own = links.entries;
  return (
    <Page title={t("Your Slack accounts")}>
      {request && (
        <Confirmation
          {...request}
          onDone={() => {
            setRequest(null);
            links.reload();
          }}
        />
      )}
      {links.value !== null && own.length === 0 && <p class="muted">{t("No account of Slack acts as you.")}</p>}
      <DataTable
        rows={own}
        keyOf={({ id }) => id}
        columns={[
          { label: t("Account"), cell: nameOf },
          { label: t("Workspace"), cell: ({ workspace_name }) => workspace_name },
          { label: t("Linked"), cell: ({ created_at }) => formatAgo(created_at) },
          {
            label: null,
            cell: ({ id }) => (
              <Button
                isSmall
                onClick={() =>
                  api.DELETE("/v1/slack/links/{link}", { params: { path: { link: id } } }).then(links.reload, showError)
                }
              >
                {t("Unlink")}
              </Button>
            ),
          },
        ]}
      />
      <MoreButton list={links} />
    </Page>
  );
}
