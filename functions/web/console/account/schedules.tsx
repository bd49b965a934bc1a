import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { testRunPath, testSetPath } from "../assistants/evaluations/test-paths.ts";
import { forget, invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { upTo } from "../lib/lists.ts";
import { usePages } from "../lib/pages.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button, IconButton } from "../ui/buttons.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { ResourcePage, useConfirmation } from "../ui/resource-page.tsx";
import { Badge, ResourceStatus } from "../ui/status.tsx";
import { NextTimes, ScheduleDialog } from "./schedule-dialog.tsx";

type Schedule = ReplyOf<"/v1/schedules/{id}", "get">;
type Run = ReplyOf<"/v1/schedules/{id}/runs", "get">["runs"][number];

const path = "/console/account/schedules";

/** List of the user's schedules, or one of them with its runs. */
export function Schedules({ id }: { readonly id: string | null }) {
  return id ? <SchedulePage key={id} id={id} /> : <ScheduleList />;
}

/** State of a schedule; nothing while it waits for its next time. */
function ScheduleState({ schedule: { enabled, disabled_reason, next_times } }: { readonly schedule: Schedule }) {
  if (disabled_reason) return <Badge kind="warning">{t("Paused after failures")}</Badge>;
  if (!enabled) return <Badge>{t("Paused")}</Badge>;
  return next_times.length === 0 ? <Badge>{t("Ended")}</Badge> : null;
}

function ScheduleList() {
  const { route } = useLocation();
  const list = useResource("schedules", () => upTo(api.list("/v1/schedules", { params: { query: { limit: 100 } } })));
  return (
    <ResourcePage
      title={t("Schedules")}
      intro={t("Questions that are asked at regular times, with your rights, while you do something else.")}
      resource={list}
      entries={list.value ?? undefined}
      name="schedules"
      newText={t("New schedule")}
      dialog={(_, close) => (
        <ScheduleDialog schedule={null} onClose={close} onSaved={({ id }) => route(`${path}/${id}`)} />
      )}
      empty={{
        icon: "clock",
        title: t("No schedule yet"),
        text: t("Let the assistant report every morning or every Monday. The answers are in your conversations."),
      }}
      textOf={({ name, question }) => `${name} ${question}`}
      card={(schedule) => (
        <a key={schedule.id} class="card stack tight" href={`${path}/${schedule.id}`}>
          <strong class="truncate" dir="auto">
            {schedule.name}
          </strong>
          <span class="muted small truncate" dir="auto">
            {schedule.question || t("Runs a test set")}
          </span>
          <span class="row wrap">
            <ScheduleState schedule={schedule} />
            {schedule.next_times[0] && <span class="small muted">{formatDateTime(schedule.next_times[0])}</span>}
          </span>
        </a>
      )}
    />
  );
}

const runStates = (): Readonly<
  Record<Run["status"], readonly [text: string, kind?: "success" | "warning" | "danger"]>
> => ({
  pending: [t("Waits")],
  running: [t("In progress")],
  completed: [t("Complete"), "success"],
  failed: [t("Failed"), "danger"],
  needs_approval: [t("Needs an approval"), "warning"],
  missed: [t("Missed"), "warning"],
});

/** Reasons for which a run does not start. Others are codes of errors. */
const reasonTexts = (): Readonly<Record<string, string>> => ({
  user: t("The owner is deactivated."),
  tenant: t("The organization is suspended."),
  persona: t("You may not use the persona."),
  not_found: t("The conversation or a document does not exist any more."),
  approval_required: t("A tool needs a confirmation. Ask in a conversation, and allow the tool for later calls."),
  quota_exceeded: t("A budget is used up."),
});

function RunState({ run: { status, reason } }: { readonly run: Run }) {
  const [text, kind] = runStates()[status];
  return (
    <>
      <Badge {...(kind && { kind })}>{text}</Badge>
      {reason && <div class="small muted">{reasonTexts()[reason] ?? reason}</div>}
    </>
  );
}

function RunTable({ id }: { readonly id: string }) {
  const runs = usePages(
    `schedules:${id}:runs`,
    (page) => api.GET("/v1/schedules/{id}/runs", { params: { path: { id }, query: page } }),
    (reply) => reply.runs,
  );
  return (
    <section class="section">
      <div class="row between">
        <h2>{t("Runs")}</h2>
        <IconButton icon="retry" label={t("Refresh")} onClick={runs.reload} />
      </div>
      <ResourceStatus resource={runs} />
      {runs.value?.entries.length === 0 && <p class="muted">{t("It has not run yet.")}</p>}
      <DataTable
        rows={runs.entries}
        keyOf={({ scheduled_at }) => scheduled_at}
        columns={[
          {
            label: t("Time"),
            title: ({ scheduled_at }) => formatAgo(scheduled_at),
            cell: ({ scheduled_at }) => formatDateTime(scheduled_at),
          },
          { label: t("State"), cell: (run) => <RunState run={run} /> },
          { label: t("Attempts"), cell: ({ attempts }) => attempts },
          {
            label: t("Conversation"),
            cell: ({ conversation_id, test_run_id }) =>
              (conversation_id && <a href={`/console/chat/${conversation_id}`}>{t("Open")}</a>) ||
              (test_run_id && <a href={testRunPath(test_run_id)}>{t("Open the test run")}</a>),
          },
        ]}
      />
      <MoreButton list={runs} />
    </section>
  );
}

function SchedulePage({ id }: { readonly id: string }) {
  const params = { path: { id } };
  const resource = useResource(`schedules:${id}`, () => api.GET("/v1/schedules/{id}", { params }));
  const { route } = useLocation();
  const [isChanging, setChanging] = useState(false);
  const { confirm, confirmation } = useConfirmation(() => {
    forget(`schedules:${id}`);
    invalidate("schedules");
    route(path);
  });
  const schedule = resource.value;
  const act = async (action: () => Promise<unknown>, message: string) => {
    try {
      await action();
      showToast(message);
      invalidate("schedules");
    } catch (error) {
      showError(error);
    }
  };
  const setEnabled = (enabled: boolean) =>
    act(
      () => api.PATCH("/v1/schedules/{id}", { params, body: { enabled } }),
      enabled ? t("The schedule continues.") : t("The schedule is paused."),
    );
  return (
    <PageLayout
      title={schedule?.name ?? t("Schedule")}
      back={{ path, label: t("Schedules") }}
      actions={
        schedule && (
          <Button
            kind="primary"
            icon="send"
            onClick={() => act(() => api.POST("/v1/schedules/{id}/runs", { params }), t("The run starts."))}
          >
            {t("Run now")}
          </Button>
        )
      }
    >
      <ResourceStatus resource={resource} />
      {schedule && (
        <>
          {schedule.set_id ? (
            <p>
              <a href={testSetPath(schedule.set_id)}>{t("Runs a test set")}</a>
            </p>
          ) : (
            <p dir="auto">{schedule.question}</p>
          )}
          <div class="row wrap">
            <ScheduleState schedule={schedule} />
            <Badge>
              <span class="mono" dir="ltr">
                {schedule.cron}
              </span>
            </Badge>
            <Badge>{schedule.time_zone}</Badge>
          </div>
          <div class="row wrap">
            <Button isSmall icon="edit" onClick={() => setChanging(true)}>
              {t("Change")}
            </Button>
            <Button isSmall onClick={() => setEnabled(!schedule.enabled)}>
              {schedule.enabled ? t("Pause") : t("Continue")}
            </Button>
            <Button
              isSmall
              kind="danger-outline"
              onClick={() =>
                confirm({
                  title: t("Delete {name}?", { name: schedule.name }),
                  text: t("The schedule will be deleted for good. Its conversations stay."),
                  send: () => api.DELETE("/v1/schedules/{id}", { params }),
                })
              }
            >
              {t("Delete")}
            </Button>
          </div>
          {schedule.next_times.length > 0 && <NextTimes times={schedule.next_times} timeZone={schedule.time_zone} />}
          <RunTable id={id} />
        </>
      )}
      {confirmation}
      {isChanging && schedule && (
        <ScheduleDialog schedule={schedule} onClose={() => setChanging(false)} onSaved={() => setChanging(false)} />
      )}
    </PageLayout>
  );
}
