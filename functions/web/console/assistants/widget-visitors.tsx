import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { AnswerDialog, type AnswerDocument } from "../knowledge/answer-dialog.tsx";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { saveCsv } from "../lib/save-file.ts";
import { showError } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { onDemand } from "../ui/on-demand.tsx";
import { useConfirmation } from "../ui/resource-page.tsx";
import { Badge, Empty, ResourceStatus } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { VisitorMessage } from "../ui/visitor-message.tsx";

type Session = ReplyOf<"/v1/tenant/embed-keys/{id}/sessions", "get">["sessions"][number];
type Question = ReplyOf<"/v1/tenant/embed-keys/{id}/questions", "get">["questions"][number];
type Status = Question["status"];

const WidgetFigures = onDemand(() => import("./widget-figures.tsx").then((module) => module.WidgetFigures));

/** Returns an address without its scheme, which is shown in full on hover. */
const shortAddress = (url: string) => url.replace(/^https?:\/\//, "");

/** Sessions and unanswered questions of the visitors of one website. */
export function WidgetVisitors({ id }: { readonly id: string }) {
  const keys = useResource("embed-keys", () => api.GET("/v1/tenant/embed-keys"));
  const [view, setView] = useState<"sessions" | "figures" | Status>("sessions");
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
      ) : (
        <Questions key={view} keyId={id} status={view} personaId={key?.persona_id ?? null} />
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
        <SessionDialog keyId={keyId} sessionId={reading.id} form={reading.form} onClose={() => setReading(null)} />
      )}
      {confirmation}
    </>
  );
}

interface SessionDialogProps {
  readonly keyId: string;
  readonly sessionId: string;
  readonly form?: Session["form"];
  readonly onClose: () => void;
}

function SessionDialog({ keyId, sessionId, form, onClose }: SessionDialogProps) {
  const path = { id: keyId, session_id: sessionId };
  const list = usePages(
    `visitors:${keyId}:session:${sessionId}`,
    (page) => api.GET("/v1/tenant/embed-keys/{id}/sessions/{session_id}", { params: { path, query: page } }),
    ({ messages }) => messages,
  );
  return (
    <Dialog title={t("Session of a visitor")} onClose={onClose} isWide>
      <div class="stack">
        <ResourceStatus resource={list} />
        {form && <p class="muted small">{form.map(({ label, value }) => `${label}: ${value}`).join(" · ")}</p>}
        {list.entries.map(({ rating, ...message }) => (
          <VisitorMessage key={message.message_id} message={message}>
            {rating && (
              <span>
                <Badge kind={rating === "up" ? "success" : "danger"}>{rating === "up" ? t("good") : t("bad")}</Badge>
              </span>
            )}
          </VisitorMessage>
        ))}
        {list.value?.entries.length === 0 && <p class="muted">{t("No question")}</p>}
        <MoreButton list={list} />
      </div>
    </Dialog>
  );
}

interface QuestionsProps {
  readonly keyId: string;
  readonly status: Status;
  readonly personaId: string | null;
}

function Questions({ keyId, status, personaId }: QuestionsProps) {
  const list = usePages(
    `visitors:${keyId}:questions:${status}`,
    (page) =>
      api.GET("/v1/tenant/embed-keys/{id}/questions", { params: { path: { id: keyId }, query: { status, ...page } } }),
    ({ questions }) => questions,
  );
  const [answering, setAnswering] = useState<Question | null>(null);
  const [reading, setReading] = useState<string | null>(null);
  const setStatus = async (question: Question, changed: Status, document?: AnswerDocument) => {
    await api.PATCH("/v1/tenant/embed-keys/{id}/questions/{question_id}", {
      params: { path: { id: keyId, question_id: question.id } },
      body: { status: changed, ...(document && { document }) },
    });
    invalidate(`visitors:${keyId}`);
  };
  return (
    <>
      <ResourceStatus resource={list} />
      {list.value?.entries.length === 0 && (
        <Empty icon="check" title={t("No questions here")}>
          {t("Questions appear whose answer has no source, does not know, or was rated bad.")}
        </Empty>
      )}
      <DataTable
        rows={list.entries}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t("Question"),
            cell: ({ question, session_id }) => (
              <button type="button" class="link start" dir="auto" onClick={() => setReading(session_id)}>
                {question}
              </button>
            ),
          },
          { label: t("Asked"), className: "nowrap", cell: ({ count }) => tn("{count} time", "{count} times", count) },
          {
            label: t("Last"),
            className: "nowrap",
            title: ({ last_asked_at }) => formatDateTime(last_asked_at),
            cell: ({ last_asked_at }) => formatAgo(last_asked_at),
          },
          {
            label: null,
            cell: (question) =>
              status === "open" ? (
                <span class="row">
                  {can("knowledge.create") && (
                    <Button isSmall kind="primary" onClick={() => setAnswering(question)}>
                      {t("Answer")}
                    </Button>
                  )}
                  <Button isSmall onClick={() => setStatus(question, "answered").catch(showError)}>
                    {t("Set aside")}
                  </Button>
                </span>
              ) : (
                <Button isSmall onClick={() => setStatus(question, "open").catch(showError)}>
                  {t("Reopen")}
                </Button>
              ),
          },
        ]}
      />
      <MoreButton list={list} />
      {reading && <SessionDialog keyId={keyId} sessionId={reading} onClose={() => setReading(null)} />}
      {answering && (
        <AnswerDialog
          question={answering.question}
          personaId={personaId}
          onStored={(document) => setStatus(answering, "answered", document)}
          onClose={() => setAnswering(null)}
        />
      )}
    </>
  );
}
