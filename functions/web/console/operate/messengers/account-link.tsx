import { useEffect, useState } from "preact/hooks";
import { formatAgo } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { describeError, showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { MoreButton } from "../../ui/list.tsx";
import { Empty, ResourceStatus, Skeleton } from "../../ui/status.tsx";

interface Account {
  readonly user_id: string;
  readonly user_name: string | null;
  readonly workspace_name: string;
}

interface Request {
  readonly workspace_id: string;
  readonly token: string;
  readonly dry_run?: boolean;
}

/** Messenger whose accounts act as users. */
interface Messenger {
  readonly name: string;
  readonly key: string;
  list(page: { readonly limit: number; readonly cursor?: string }): Promise<{
    readonly links: readonly (Account & { readonly id: string; readonly created_at: string })[];
    readonly next_cursor: string | null;
  }>;
  link(body: Request): Promise<Account>;
  unlink(id: string): Promise<unknown>;
}

const slack: Messenger = {
  name: "Slack",
  key: "slack-links",
  list: async (page) => {
    const { links, ...rest } = await api.GET("/v1/slack/links", { params: { query: page } });
    return { links: links.map(fromSlack), ...rest };
  },
  link: (body) => api.POST("/v1/slack/links", { body }).then(fromSlack),
  unlink: (link) => api.DELETE("/v1/slack/links/{link}", { params: { path: { link } } }),
};

const teams: Messenger = {
  name: "Teams",
  key: "teams-links",
  list: async (page) => {
    const { links, ...rest } = await api.GET("/v1/teams/links", { params: { query: page } });
    return { links: links.map(fromTeams), ...rest };
  },
  link: (body) => api.POST("/v1/teams/links", { body }).then(fromTeams),
  unlink: (link) => api.DELETE("/v1/teams/links/{link}", { params: { path: { link } } }),
};

function fromSlack<Link extends { slack_user_id: string; slack_user_name: string | null }>(link: Link) {
  return { ...link, user_id: link.slack_user_id, user_name: link.slack_user_name };
}

function fromTeams<Link extends { teams_user_id: string; teams_user_name: string | null }>(link: Link) {
  return { ...link, user_id: link.teams_user_id, user_name: link.teams_user_name };
}

const nameOf = ({ user_name, user_id }: Account) => user_name ?? user_id;

/** Question whether the account that a link was sent to is that of the user. */
function Confirmation({
  messenger,
  workspace,
  token,
  onDone,
}: {
  messenger: Messenger;
  workspace: string;
  token: string;
  onDone: () => void;
}) {
  const [account, setAccount] = useState<Account | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const body = { workspace_id: workspace, token };
  useEffect(() => {
    // The token must not stay in the history.
    history.replaceState(null, "", location.pathname);
    messenger.link({ ...body, dry_run: true }).then(setAccount, (error) => setFailure(describeError(error)));
  }, []);
  if (failure !== null) {
    return (
      <Empty icon="warning" title={t("This link is used or has expired")}>
        {t("Write to the app in {messenger} again; it sends a new one.", { messenger: messenger.name })}
      </Empty>
    );
  }
  if (account === null) return <Skeleton />;
  return (
    <section class="card stack">
      <h2>{t("Is this your {messenger} account?", { messenger: messenger.name })}</h2>
      <p>
        <strong>{nameOf(account)}</strong> · {account.workspace_name} · <span class="mono">{account.user_id}</span>
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
            messenger.link(body).then(() => {
              showToast(
                t("Your {messenger} account is linked. Ask again in {messenger}.", { messenger: messenger.name }),
              );
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

/** Page that the app in a messenger sends people to: it links an account after a confirmation, and lists the linked ones. */
function AccountLink({ messenger }: { readonly messenger: Messenger }) {
  const [request, setRequest] = useState(() => {
    const parameters = new URLSearchParams(location.search);
    const [workspace, token] = [parameters.get("workspace"), parameters.get("token")];
    return workspace && token ? { workspace, token } : null;
  });
  const links = usePages(
    messenger.key,
    (page) => messenger.list(page),
    (reply) => reply.links,
  );
  const own = links.entries;
  return (
    <PageLayout title={t("Your {messenger} accounts", { messenger: messenger.name })}>
      {request && (
        <Confirmation
          messenger={messenger}
          {...request}
          onDone={() => {
            setRequest(null);
            links.reload();
          }}
        />
      )}
      {!request && <ResourceStatus resource={links} />}
      {!request && links.value !== null && own.length === 0 && (
        <Empty icon="chat" title={t("No account of {messenger} acts as you.", { messenger: messenger.name })}>
          {t("Write to the app in {messenger}: it sends you a link to this page.", { messenger: messenger.name })}
        </Empty>
      )}
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
              <Button isSmall onClick={() => messenger.unlink(id).then(links.reload, showError)}>
                {t("Unlink")}
              </Button>
            ),
          },
        ]}
      />
      <MoreButton list={links} />
    </PageLayout>
  );
}

/** Page to which the app in Slack sends people. */
export const SlackLinkView = () => <AccountLink messenger={slack} />;

/** Page to which the bot in Teams sends people. */
export const TeamsLinkView = () => <AccountLink messenger={teams} />;
