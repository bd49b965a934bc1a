import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { saveCsv } from "../lib/save-file.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { useConfirmation } from "../ui/resource-page.tsx";
import { Empty, ResourceStatus } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { VisitorSessionDialog } from "./visitor-session-dialog.tsx";

type Session = ReplyOf<"/v1/tenant/embed-keys/{id}/sessions", "get">["sessions"][number];

const WidgetFigures = onDemand(() => import("./widget-figures.tsx").then((module) => module.WidgetFigures));

const OpenTopics = onDemand(() => import("./widget-questions.tsx").then((module) => module.OpenTopics));
const AnsweredQuestions = onDemand(() => import("./widget-questions.tsx").then((module) => module.AnsweredQuestions));

/** Returns an address without its scheme, which is shown in full on hover. */
const shortAddress = (url: string) => url.replace(/^https?:\/\//, "");

/** Sessions and unanswered questions of the visitors of one website. */
export function WidgetVisitors({ id }: { readonly id: string }) {
  const keys = useResource("embed-keys", () => api.GET("/v1/tenant/embed-keys"));
  const [view, setView] = useState<"sessions" | "figures" | "open" | "answered">("sessions");
  const key = keys.value?.keys.find((each) => each.id === id);
  return (
    <PageLayout
      title={key?.name ?? t("Website widget")}
      intro={t("What visitors asked, and what the assistant could not answer.")}
      back={{ path: "/console/assistants/widget", label: t("Website widget") }}
      actions={
        view === "sessions" && (
          <Button
            icon="download"
            onClick={() => saveCsv("sessions.csv", `/v1/tenant/embed-keys/${id}/sessions?limit=50`)}
          >
            CSV
          </Button>
        )
      }
    >
      <Tabs
        label={t("Visitors")}
        value={view}
        onValue={setView}
        options={[
          ["sessions", t("Sessions")],
          ["figures", t("Figures")],
          ["open", t("Unanswered questions")],
          ["answered", t("Answered questions")],
        ]}
      />
      {view === "sessions" ? (
        <Sessions keyId={id} />
      ) : view === "figures" ? (
        <WidgetFigures keyId={id} />
      ) : view === "open" ? (
        <OpenTopics keyId={id} personaId={key?.persona_id ?? null} />
      ) : (
        <AnsweredQuestions keyId={id} />
      )}
    </PageLayout>
  );
}

function Sessions({ keyId }: { readonly keyId: string }) {
  const list = usePages(
    `visitors:${keyId}:sessions`,
    (page) => api.GET("/v1/tenant/embed-keys/{id}/sessions", { params: { path: { id: keyId }, query: page } }),
    ({ sessions }) => sessions,
    20,
  );
  const [reading, setReading] = useState<Session | null>(null);
  const { confirm, confirmation } = useConfirmation(() => invalidate(`visitors:${keyId}`));
  return (
    <>
      <ResourceStatus resource={list} />
      {list.value?.entries.length === 0 && (
        <Empty icon="chat" title={t("No sessions yet")}>
          {t("Sessions are deleted a day after the last message, unless the widget keeps them longer.")}
        </Empty>
      )}
      <DataTable
        rows={list.entries}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t("Latest question"),
            cell: (session) => (
              <button type="button" class="link start" dir="auto" onClick={() => setReading(session)}>
                {session.last_question || t("No question")}
              </button>
            ),
          },
          {
            label: t("Page"),
            title: ({ page }) => page ?? "",
            cell: ({ page, origin }) => (
              <span class="address truncate">{page ? shortAddress(page) : (origin ?? "–")}</span>
            ),
          },
          { label: t("Questions"), cell: ({ messages_sent }) => String(messages_sent) },
          {
            label: t("Feedback"),
            cell: ({ ratings }) =>
              ratings.up + ratings.down === 0
                ? "–"
                : t("{up} good, {down} bad", { up: String(ratings.up), down: String(ratings.down) }),
          },
          {
            label: t("Started"),
            title: ({ created_at }) => formatDateTime(created_at),
            cell: ({ created_at }) => formatAgo(created_at),
          },
          {
            label: null,
            cell: (session) => (
              <IconButton
                icon="trash"
                label={t("Delete the session")}
                onClick={() =>
                  confirm({
                    title: t("Delete the session?"),
                    text: t(
                      "Its messages, files and ratings are deleted. The visitor starts a new one. This cannot be undone.",
                    ),
                    send: () =>
                      api.DELETE("/v1/tenant/embed-keys/{id}/sessions/{session_id}", {
                        params: { path: { id: keyId, session_id: session.id } },
                      }),
                  })
                }
              />
            ),
          },
        ]}
      />
      <MoreButton list={list} />
      {reading && (
        <VisitorSessionDialog
          keyId={keyId}
          sessionId={reading.id}
          form={reading.form}
          onClose={() => setReading(null)}
        />
      )}
      {confirmation}
    </>
  );
}
