import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { forget, invalidate, useResource } from "../../lib/data.ts";
import { formatAgo, formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { upTo } from "../../lib/lists.ts";
import { usePages } from "../../lib/pages.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { CodeSnippet } from "../../ui/code-snippet.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialog.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { MoreButton } from "../../ui/list.tsx";
import { ResourcePage } from "../../ui/resource-page.tsx";
import { Badge, ResourceStatus } from "../../ui/status.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { describeEvent } from "./event-texts.ts";

type Endpoint = ReplyOf<"/v1/event-endpoints", "get">["endpoints"][number];
type Delivery = ReplyOf<"/v1/event-endpoints/{id}/deliveries", "get">["deliveries"][number];

const path = "/console/admin/events";

/** List of the addresses that events are sent to, or one of them with its deliveries. */
export function EventEndpoints({ current }: { readonly current: string | null }) {
  return current ? <EndpointPage key={current} id={current} /> : <EndpointList />;
}

/** State of an endpoint; nothing while it works. */
function EndpointState({ endpoint: { enabled, disabled_reason } }: { readonly endpoint: Endpoint }) {
  if (enabled) return null;
  return (
    <Badge kind="warning">{disabled_reason === "gone" ? t("Switched off by its receiver") : t("Switched off")}</Badge>
  );
}

function EndpointList() {
  const { route } = useLocation();
  const list = useResource("event-endpoints", async () => ({
    endpoints: await upTo(api.list("/v1/event-endpoints", { params: { query: { limit: 100 } } })),
  }));
  return (
    <ResourcePage
      title={t("Events")}
      intro={t("What happens here is sent to other systems: answers, approvals, alerts, documents and budgets.")}
      resource={list}
      entries={list.value?.endpoints}
      name="event-endpoints"
      newText={t("New endpoint")}
      dialog={(_, close) => (
        <EndpointDialog endpoint={null} onClose={close} onDone={(created) => route(`${path}/${created}`)} />
      )}
      empty={{
        icon: "send",
        title: t("No endpoint yet"),
        text: t("An endpoint is an address of your system, or an incoming webhook of a chat tool."),
      }}
      textOf={({ description, url }) => `${description ?? ""} ${url}`}
      card={(endpoint) => (
        <a key={endpoint.id} class="card stack tight" href={`${path}/${endpoint.id}`}>
          <h2 class="truncate">{endpoint.description || new URL(endpoint.url).host}</h2>
          <p class="muted small truncate mono">{endpoint.url}</p>
          <div class="row wrap">
            <EndpointState endpoint={endpoint} />
            <Badge>
              {endpoint.types.length === 1 && endpoint.types[0]
                ? describeEvent(endpoint.types[0])
                : t("{count} types", { count: endpoint.types.length })}
            </Badge>
          </div>
        </a>
      )}
    />
  );
}

function EndpointPage({ id }: { readonly id: string }) {
  const { route } = useLocation();
  const params = { path: { id } };
  const resource = useResource(`event-endpoints:${id}`, () => api.GET("/v1/event-endpoints/{id}", { params }));
  const deliveries = usePages(
    `event-endpoints:${id}:deliveries`,
    (page) => api.GET("/v1/event-endpoints/{id}/deliveries", { params: { ...params, query: page } }),
    (reply) => reply.deliveries,
  );
  const [dialog, setDialog] = useState<"change" | "delete" | Delivery | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const act = async (action: () => Promise<unknown>, message: string | null = null) => {
    try {
      await action();
      if (message) showToast(message);
      invalidate("event-endpoints");
    } catch (error) {
      showError(error);
    }
  };
  const endpoint = resource.value;
  return (
    <PageLayout
      title={endpoint ? endpoint.description || new URL(endpoint.url).host : t("Endpoint")}
      back={{ path, label: t("Events") }}
      actions={
        endpoint && (
          <Button
            kind="primary"
            icon="send"
            onClick={() =>
              act(() => api.POST("/v1/event-endpoints/{id}/test", { params }), t("A test event is on its way."))
            }
          >
            {t("Send a test")}
          </Button>
        )
      }
    >
      <ResourceStatus resource={resource} />
      {endpoint && (
        <>
          <CodeSnippet title={t("Address")} code={endpoint.url} />
          {secret && (
            <CodeSnippet
              title={t("New secret. It is shown only once; the old one is valid for one more day.")}
              code={secret}
            />
          )}
          <div class="row wrap">
            <EndpointState endpoint={endpoint} />
            {endpoint.types.map((type) => (
              <Badge key={type} title={type}>
                {describeEvent(type)}
              </Badge>
            ))}
          </div>
          <div class="row wrap">
            <Button isSmall icon="edit" onClick={() => setDialog("change")}>
              {t("Change")}
            </Button>
            <Button
              isSmall
              onClick={() =>
                act(() => api.PATCH("/v1/event-endpoints/{id}", { params, body: { enabled: !endpoint.enabled } }))
              }
            >
              {endpoint.enabled ? t("Switch off") : t("Switch on")}
            </Button>
            {endpoint.format === "standard" && (
              <Button
                isSmall
                onClick={() =>
                  act(async () =>
                    setSecret((await api.POST("/v1/event-endpoints/{id}/rotate-secret", { params })).secret),
                  )
                }
              >
                {t("Rotate the secret")}
              </Button>
            )}
            <Button isSmall kind="danger-outline" onClick={() => setDialog("delete")}>
              {t("Delete")}
            </Button>
          </div>
          <section class="section">
            <div class="row between">
              <h2>{t("Deliveries")}</h2>
              <IconButton icon="retry" label={t("Refresh")} onClick={deliveries.reload} />
            </div>
            <ResourceStatus resource={deliveries} />
            {deliveries.value?.entries.length === 0 && (
              <p class="muted">{t("Nothing was sent yet. Send a test to see whether the address accepts events.")}</p>
            )}
            <DataTable
              rows={deliveries.entries}
              keyOf={(delivery) => delivery.id}
              columns={[
                {
                  label: t("Created"),
                  title: ({ created_at }) => formatDateTime(created_at),
                  cell: ({ created_at }) => formatAgo(created_at),
                },
                {
                  label: t("Event"),
                  cell: (delivery) => (
                    <button type="button" class="link" title={delivery.type} onClick={() => setDialog(delivery)}>
                      {describeEvent(delivery.type)}
                    </button>
                  ),
                },
                { label: t("State"), cell: (delivery) => <DeliveryState delivery={delivery} /> },
                { label: t("Attempts"), cell: ({ attempts }) => attempts },
                {
                  label: null,
                  cell: ({ id: delivery_id }) => (
                    <IconButton
                      icon="retry"
                      label={t("Send the event again")}
                      onClick={() =>
                        act(
                          () =>
                            api.POST("/v1/event-endpoints/{id}/deliveries/{delivery_id}/replay", {
                              params: { path: { id, delivery_id } },
                            }),
                          t("The event is sent again."),
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
      {dialog === "change" && endpoint && <EndpointDialog endpoint={endpoint} onClose={() => setDialog(null)} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t("Delete the endpoint?")}
          text={t("No event is sent to it any more, also none that waits for another attempt.")}
          action={t("Delete")}
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            await api.DELETE("/v1/event-endpoints/{id}", { params });
            forget(`event-endpoints:${id}`);
            invalidate("event-endpoints");
            route(path);
          }}
        />
      )}
      {dialog !== null && typeof dialog === "object" && (
        <Dialog title={describeEvent(dialog.type)} onClose={() => setDialog(null)} isWide>
          <CodeSnippet
            title={`${dialog.type} · ${dialog.event_id}`}
            code={JSON.stringify(JSON.parse(dialog.payload), null, 2)}
          />
        </Dialog>
      )}
    </PageLayout>
  );
}

/** Returns the reason for which an event was not delivered: a sentence for known codes. */
function describeDeliveryError(error: string): string {
  const texts: Readonly<Record<string, string>> = {
    unreachable: t("not reachable"),
    timeout: t("no response in time"),
    address_not_allowed: t("address not allowed"),
  };
  return texts[error] ?? error;
}

function DeliveryState({ delivery }: { readonly delivery: Delivery }) {
  const { status, response_status, error, next_attempt_at } = delivery;
  if (status === "delivered") return <Badge kind="success">{t("delivered")}</Badge>;
  const reason = response_status ?? (error === null ? null : describeDeliveryError(error));
  return (
    <span class="row wrap">
      <Badge kind={status === "failed" ? "danger" : "warning"}>
        {status === "failed" ? t("failed") : t("waiting")}
        {reason !== null && `: ${reason}`}
      </Badge>
      {next_attempt_at && (
        <span class="small muted">{t("again {date}", { date: formatDateTime(next_attempt_at) })}</span>
      )}
    </span>
  );
}
