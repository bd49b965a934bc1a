import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { nameProvider } from "../../lib/codes/alert-providers.ts";
import { describeCode, severityTexts } from "../../lib/codes/server-texts.ts";
import { forget, invalidate, useResource } from "../../lib/data.ts";
import { formatAgo, formatDateTime } from "../../lib/format.ts";
import { language, t } from "../../lib/i18n.ts";
import { upTo, useConversations } from "../../lib/lists.ts";
import { usePages } from "../../lib/pages.ts";
import { useTargetNames } from "../../lib/target-names.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { MoreButton } from "../../ui/list.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { PlaceDialog } from "../messengers/place-dialog.tsx";
import { AlertPathsDialog } from "./alert-paths.tsx";
import { InvestigateDialog } from "./investigate-dialog.tsx";
import { WriteBackDialog } from "./write-back-dialog.tsx";

type Channel = ReplyOf<"/v1/webhooks", "get">["webhooks"][number];
type Delivery = ReplyOf<"/v1/webhooks/{channel_id}/deliveries", "get">["deliveries"][number];

const schemeTexts = (): Readonly<Record<Channel["signature_scheme"], string>> => ({
  hmac: t("Signature (HMAC)"),
  "standard-webhooks": "Standard Webhooks",
  token: t("Token"),
  sns: "Amazon SNS",
});

/** Returns why a delivery was refused. The service's own explanation, which can tell more, is English. */
function describeRefusal({ reason, detail }: Delivery): string {
  const texts: Readonly<Record<string, string>> = {
    missing_signature: t("The signature is missing."),
    invalid_signature: t("The signature does not match the secret."),
    old_timestamp: t("The signature is too old."),
  };
  const code = reason ?? "";
  const message = detail ?? code.replaceAll("_", " ");
  return language.value === "en" ? message : (texts[code] ?? describeCode({ code, message }));
}

/** Returns the function that names channels: by the title of their conversation, or by their id for those who cannot read it. */
function useChannelNames(channels: readonly Channel[]): (channel: Channel) => string {
  const toTarget = (id: string) => ({ type: "conversation", id });
  const nameTarget = useTargetNames(channels.flatMap(({ conversation_id: id }) => (id ? [toTarget(id)] : [])));
  return ({ channel_id, conversation_id: id }) => (id && nameTarget(toTarget(id)).name) || channel_id;
}

/** List of webhook channels, or one channel with its deliveries. */
export function Webhooks({ current }: { readonly current: string | null }) {
  return current ? <ChannelPage key={current} id={current} /> : <ChannelList />;
}

function ChannelList() {
  const list = useResource("webhooks", async () => ({
    webhooks: await upTo(api.list("/v1/webhooks", { params: { query: { limit: 100 } } })),
  }));
  const nameOf = useChannelNames(list.value?.webhooks ?? []);
  return (
    <ResourcePage
      title={t("Alerts")}
      intro={t("Alerts of PagerDuty, Datadog, Alertmanager, Grafana and others become messages in a conversation.")}
      resource={list}
      entries={list.value?.webhooks}
      name="webhooks"
      newText={t("New channel")}
      dialog={(_, close) => <NewChannelDialog onClose={close} />}
      empty={{
        icon: "bolt",
        title: t("No channel yet"),
        text: t("A channel has an address and a secret. Give both to your monitoring tool."),
      }}
      textOf={(channel) => `${nameOf(channel)} ${channel.channel_id}`}
      card={(channel) => (
        <a key={channel.channel_id} class="card stack tight" href={`/console/operate/alerts/${channel.channel_id}`}>
          <h2 class="truncate">{nameOf(channel)}</h2>
          <p class="muted small truncate mono" title={channel.webhook_url}>
            {channel.channel_id}
          </p>
          <div class="row wrap">
            <Badge title={channel.signature_scheme}>{schemeTexts()[channel.signature_scheme]}</Badge>
            <span class="small muted">{formatAgo(channel.created_at)}</span>
          </div>
        </a>
      )}
    />
  );
}

/** Address and secret of a new channel, which the sender of the alerts needs. */
function NewChannel(props: { readonly scheme: unknown; readonly channel: ReplyOf<"/v1/webhooks/register", "post"> }) {
  const { url, secret, signature_header } = props.channel;
  return (
    <>
      <CodeSnippet title={t("Address")} code={url} />
      {props.scheme === "sns" ? (
        <p>
          {t(
            "Subscribe this address to the topic with the protocol HTTPS. The subscription is confirmed automatically.",
          )}
        </p>
      ) : (
        <>
          <CodeSnippet title={t("Secret. It is shown only once.")} code={secret} />
          <p class="muted small">
            {t("The signature of the body is expected in the header {header}.", { header: signature_header })}
          </p>
        </>
      )}
    </>
  );
}

function NewChannelDialog({ onClose }: { readonly onClose: () => void }) {
  const own = useConversations().entries.filter(({ access }) => access === "owner");
  /** New conversation, which the next attempt uses if the registration fails. */
  const created = useRef<string | null>(null);
  return (
    <FormDialog
      title={t("New channel")}
      action={t("Create")}
      schema={bodySchema("/v1/webhooks/register", "post")}
      value={{ signature_scheme: "hmac" }}
      fields={(get) => {
        const scheme = get("signature_scheme");
        return [
          { name: "channel_id", label: t("Name of the channel"), hint: t("Letters, digits, - and _") },
          {
            name: "$conversation",
            label: t("Conversation for the alerts"),
            options: [["", t("A new conversation")], ...own.map(({ id, title }) => [id, title] as const)],
          },
          {
            name: "signature_scheme",
            label: t("Signature"),
            options: {
              hmac: t("HMAC of the body (PagerDuty, Grafana)"),
              "standard-webhooks": "Standard Webhooks",
              token: t("Token (Alertmanager, Datadog and others that cannot sign)"),
              sns: t("Amazon SNS (CloudWatch alarms)"),
            },
          },
          // The sender makes the secret of these schemes, as PagerDuty and incident.io do.
          (scheme === "hmac" || scheme === "standard-webhooks") && {
            name: "provider_secret",
            label: t("Signing secret of the sender"),
            hint: t("Only if the sender makes its own, such as PagerDuty"),
          },
          scheme === "sns" && { name: "topic_arn", label: t("ARN of the topic"), isRequired: true },
        ];
      }}
      resource="webhooks"
      onSave={async (body, get) => {
        const title = t("Alerts of {channel}", { channel: body.channel_id });
        const chosen = String(get("$conversation"));
        if (!chosen) created.current ??= (await api.POST("/v1/conversations", { body: { title } })).id;
        invalidate("conversations:");
        const conversation_id = chosen || created.current || "";
        return api.POST("/v1/webhooks/register", { body: { ...body, conversation_id } });
      }}
      renderResult={(channel, get) => ({
        title: t("The channel is ready"),
        content: <NewChannel scheme={get("signature_scheme")} channel={channel} />,
      })}
      onClose={onClose}
    />
  );
}

function ChannelPage({ id }: { readonly id: string }) {
  const { route } = useLocation();
  const params = { path: { channel_id: id } };
  const channel = useResource(`webhooks:${id}`, () => api.GET("/v1/webhooks/{channel_id}/info", { params }));
  const deliveries = usePages(
    `webhooks:${id}:deliveries`,
    (page) => api.GET("/v1/webhooks/{channel_id}/deliveries", { params: { ...params, query: page } }),
    (reply) => reply.deliveries,
  );
  const [dialog, setDialog] = useState<"paths" | "investigate" | "write-back" | "slack" | "teams" | "remove" | null>(
    null,
  );
  const [guessed, setGuessed] = useState<Delivery["guessed_paths"]>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const act = async <Result,>(action: () => Promise<Result>, messageOf: (result: Result) => string) => {
    try {
      showToast(messageOf(await action()));
      deliveries.reload();
    } catch (error) {
      showError(error);
    }
  };
  const close = () => {
    setDialog(null);
    setGuessed(null);
  };
  const details = channel.value;
  const nameOf = useChannelNames(details ? [details] : []);
  const name = details ? nameOf(details) : id;
  const { entries } = deliveries;
  return (
    <PageLayout
      title={name}
      intro={name === id ? undefined : <span class="mono small break">{id}</span>}
      back={{ path: "/console/operate/alerts", label: t("Alerts") }}
      actions={
        details && (
          <>
            {details.conversation_id && (
              <a class="button" href={`/console/chat/${details.conversation_id}`}>
                <Icon name="chat" />
                {t("Conversation")}
              </a>
            )}
            <Button
              kind="primary"
              icon="bolt"
              onClick={() =>
                act(
                  () => api.POST("/v1/webhooks/{channel_id}/test", { params }),
                  () => t("A test alert was added."),
                )
              }
            >
              {t("Send a test")}
            </Button>
          </>
        )
      }
    >
      <ResourceStatus resource={channel} />
      {details && (
        <>
          <CodeSnippet title={t("Address")} code={details.url} />
          {secret && (
            <CodeSnippet
              title={t("New secret. It is shown only once; the old one is valid for one more day.")}
              code={secret}
            />
          )}
          <div class="row wrap">
            <Button
              isSmall
              onClick={async () => {
                try {
                  const rotated = await api.POST("/v1/webhooks/{channel_id}/rotate-secret", { params, body: {} });
                  setSecret(rotated.secret);
                } catch (error) {
                  showError(error);
                }
              }}
            >
              {t("Rotate the secret")}
            </Button>
            <Button isSmall onClick={() => setDialog("paths")}>
              {t("Fields of the alert")}
            </Button>
            <Button isSmall onClick={() => setDialog("investigate")}>
              {t("Investigations")}
            </Button>
            <Button isSmall onClick={() => setDialog("write-back")}>
              {t("Write back")}
            </Button>
            <Button isSmall onClick={() => setDialog("slack")}>
              {t("Slack")}
            </Button>
            <Button isSmall onClick={() => setDialog("teams")}>
              {t("Teams")}
            </Button>
            <Button isSmall kind="danger-outline" onClick={() => setDialog("remove")}>
              {t("Remove the channel")}
            </Button>
          </div>
          {details.slack && (
            <p class="small muted">
              {t("Alerts are posted to {channel} in {messenger}.", {
                channel: details.slack.channel_name ? `#${details.slack.channel_name}` : details.slack.channel,
                messenger: "Slack",
              })}
            </p>
          )}
          {details.teams && (
            <p class="small muted break">
              {t("Alerts are posted to {channel} in {messenger}.", {
                channel: details.teams.channel,
                messenger: "Teams",
              })}
            </p>
          )}
          <section class="section">
            <div class="row between">
              <h2>{t("Deliveries")}</h2>
              <IconButton icon="retry" label={t("Refresh")} onClick={deliveries.reload} />
            </div>
            <ResourceStatus resource={deliveries} />
            {deliveries.value !== null && entries.length === 0 && (
              <p class="muted">{t("Nothing was delivered yet. Send a test to see an alert.")}</p>
            )}
            <DataTable
              rows={entries}
              keyOf={({ fingerprint }) => fingerprint}
              columns={[
                {
                  label: t("Received"),
                  title: ({ received_at }) => formatDateTime(received_at),
                  cell: ({ received_at, is_test }) => (
                    <>
                      {formatAgo(received_at)} {is_test && <Badge>{t("test")}</Badge>}
                    </>
                  ),
                },
                {
                  label: t("State"),
                  cell: (delivery) =>
                    delivery.status === "refused" ? (
                      <span class="target">
                        <span>
                          <Badge kind="danger">{t("refused")}</Badge>
                        </span>
                        <span class="muted small break" title={delivery.reason ?? undefined}>
                          {describeRefusal(delivery)}
                        </span>
                      </span>
                    ) : (
                      <span class="target">
                        <span>
                          <Badge kind="success">{t("accepted")}</Badge>
                        </span>
                        {delivery.title && <bdi class="small break">{delivery.title}</bdi>}
                        {delivery.guessed_paths && (
                          <Button
                            isSmall
                            onClick={() => {
                              setGuessed(delivery.guessed_paths);
                              setDialog("paths");
                            }}
                          >
                            {t("Form not known: check its fields")}
                          </Button>
                        )}
                      </span>
                    ),
                },
                { label: t("Provider"), cell: ({ provider }) => nameProvider(provider ?? "") || "–" },
                { label: t("Severity"), cell: ({ severity }) => (severity ? severityTexts()[severity] : "–") },
                { label: t("Repetitions"), cell: ({ duplicates }) => duplicates },
                {
                  label: null,
                  cell: ({ status, fingerprint, message_id }) =>
                    status !== "refused" && (
                      <IconButton
                        icon="retry"
                        label={t("Replay the delivery")}
                        onClick={() =>
                          act(
                            () =>
                              api.POST("/v1/webhooks/{channel_id}/deliveries/{fingerprint}/replay", {
                                params: { path: { channel_id: id, fingerprint } },
                              }),
                            // If the event belongs to an incident, the response names the message that exists already.
                            (replayed) =>
                              replayed.message_id === message_id
                                ? t("The event was applied to its incident again. No message was added.")
                                : t("The alert was added once more."),
                          )
                        }
                      />
                    ),
                },
              ]}
            />
            <MoreButton list={deliveries} />
          </section>
        </>
      )}
      {dialog === "paths" && details && (
        <AlertPathsDialog channelId={id} paths={guessed ?? details.paths} onClose={close} />
      )}
      {dialog === "investigate" && details && (
        <InvestigateDialog channelId={id} settings={details.investigate} onClose={close} />
      )}
      {dialog === "write-back" && details && (
        <WriteBackDialog channelId={id} settings={details.write_back} onClose={close} />
      )}
      {(dialog === "slack" || dialog === "teams") && details && (
        <PlaceDialog channelId={id} place={details[dialog]} messenger={dialog} onClose={close} />
      )}
      {dialog === "remove" && (
        <ConfirmDialog
          title={t("Remove the channel {name}?", { name })}
          text={t("Deliveries to its address are refused from now on. Messages are kept.")}
          action={t("Remove")}
          onClose={close}
          onConfirm={async () => {
            await api.DELETE("/v1/webhooks/{channel_id}", { params });
            showToast(t("The channel was removed."));
            forget(`webhooks:${id}`);
            invalidate("webhooks");
            route("/console/operate/alerts");
          }}
        />
      )}
    </PageLayout>
  );
}
