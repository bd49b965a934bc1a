import { useEffect, useState } from "preact/hooks";
import type { Messenger } from "../../../../../shared/api/messengers/event-ref.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
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
import { messengerTexts } from "./messenger-texts.ts";

type Account = ReplyOf<"/v1/messengers/{messenger}/links", "post">;

const nameOf = ({ account_name, account_id }: Pick<Account, "account_id" | "account_name">) =>
  account_name ?? account_id;

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
  const link = (dry_run: boolean) =>
    api.POST("/v1/messengers/{messenger}/links", {
      params: { path: { messenger } },
      body: { workspace_id: workspace, token, dry_run },
    });
  useEffect(() => {
    // The token must not stay in the history.
    history.replaceState(null, "", location.pathname);
    link(true).then(setAccount, (error) => setFailure(describeError(error)));
  }, []);
  if (failure !== null) {
    return (
      <Empty icon="warning" title={t("This link is used or has expired")}>
        {t("Write to the app in {messenger} again; it sends a new one.", {
          messenger: messengerTexts(messenger).title,
        })}
      </Empty>
    );
  }
  if (account === null) return <Skeleton />;
  return (
    <section class="card stack">
      <h2>{t("Is this your {messenger} account?", { messenger: messengerTexts(messenger).title })}</h2>
      <p>
        <strong>{nameOf(account)}</strong> · {account.workspace_name} · <span class="mono">{account.account_id}</span>
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
            link(false).then(() => {
              showToast(
                t("Your {messenger} account is linked. Ask again in {messenger}.", {
                  messenger: messengerTexts(messenger).title,
                }),
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
    `${messenger}-links`,
    (query) => api.GET("/v1/messengers/{messenger}/links", { params: { path: { messenger }, query } }),
    (reply) => reply.links,
  );
  const own = links.entries;
  const unlink = (link: string) =>
    api
      .DELETE("/v1/messengers/{messenger}/links/{link}", { params: { path: { messenger, link } } })
      .then(links.reload, showError);
  return (
    <PageLayout title={t("Your {messenger} accounts", { messenger: messengerTexts(messenger).title })}>
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
        <Empty
          icon="chat"
          title={t("No account of {messenger} acts as you.", { messenger: messengerTexts(messenger).title })}
        >
          {t("Write to the app in {messenger}: it sends you a link to this page.", {
            messenger: messengerTexts(messenger).title,
          })}
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
              <Button isSmall onClick={() => unlink(id)}>
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
export const SlackLinkView = () => <AccountLink messenger="slack" />;

/** Page to which the bot in Teams sends people. */
export const TeamsLinkView = () => <AccountLink messenger="teams" />;
