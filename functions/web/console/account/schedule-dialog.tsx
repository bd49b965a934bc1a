import { useEffect, useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { conversationTitleOf } from "../lib/conversation-title.ts";
import { useResource } from "../lib/data.ts";
import { getLocale, t } from "../lib/i18n.ts";
import { useConversations, usePersonas } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";

type Schedule = ReplyOf<"/v1/schedules/{id}", "get">;
type ScheduleBody = BodyOf<"/v1/schedules", "post">;

/** Time after the last key press at which the next times are computed. */
const PREVIEW_DELAY_MS = 400;

const ownTimeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Next times of a schedule, as its time zone shows them. */
export function NextTimes({ times, timeZone }: { readonly times: readonly string[]; readonly timeZone: string }) {
  const format = new Intl.DateTimeFormat(getLocale(), { dateStyle: "full", timeStyle: "short", timeZone });
  return (
    <section class="section">
      <h2>{t("Next times")}</h2>
      <ul class="stack tight">
        {times.map((time) => (
          <li key={time}>{format.format(new Date(time))}</li>
        ))}
      </ul>
    </section>
  );
}

/** Next times of the schedule that is being written. */
function Preview({
  cron,
  timeZone,
  skipDates,
}: {
  readonly cron: string;
  readonly timeZone: string;
  readonly skipDates: string[];
}) {
  const body = JSON.stringify({ cron, time_zone: timeZone, skip_dates: skipDates });
  const [written, setWritten] = useState(body);
  useEffect(() => {
    const timer = setTimeout(() => setWritten(body), PREVIEW_DELAY_MS);
    return () => clearTimeout(timer);
  }, [body]);
  const preview = useResource(`schedule-preview:${written}`, () =>
    api.POST("/v1/schedules/preview", { body: JSON.parse(written) }),
  );
  const times = preview.value?.next_times ?? [];
  if (times.length > 0) return <NextTimes times={times} timeZone={JSON.parse(written).time_zone} />;
  // Saving a text that is not finished reports the error at its field.
  return <p class="muted small">{preview.isLoading ? "" : t("No time matches yet.")}</p>;
}

const toLines = (draft: unknown): string[] =>
  (Array.isArray(draft) ? draft : String(draft ?? "").split("\n")).map((line) => String(line).trim()).filter(Boolean);

/** Dialog that creates or changes a schedule, and shows its next times. */
export function ScheduleDialog({
  schedule,
  setId = schedule?.set_id ?? null,
  onSaved,
  onClose,
}: {
  readonly schedule: Schedule | null;
  /** Test set that runs ask instead of a question. */
  readonly setId?: string | null;
  readonly onSaved: (saved: Schedule) => void;
  readonly onClose: () => void;
}) {
  const personas = usePersonas().value?.personas ?? [];
  const conversations = useConversations().entries;
  const stored = schedule?.conversation_id;
  const isListed = !stored || conversations.some(({ id }) => id === stored);
  return (
    <FormDialog
      title={schedule?.name ?? t("New schedule")}
      isWide
      schema={bodySchema("/v1/schedules", "post")}
      value={schedule ?? { time_zone: ownTimeZone(), cron: "0 9 * * 1-5" }}
      fields={(get) => [
        { name: "name", label: t("Name") },
        setId === null && { name: "question", label: t("Question"), rows: 4, isRequired: true },
        [
          { name: "cron", label: t("Times (cron)"), hint: t("Minute, hour, day, month, weekday: 0 9 * * 1-5") },
          { name: "time_zone", label: t("Time zone") },
        ],
        { name: "skip_dates", label: t("Dates without runs"), hint: t("One date in each line: 2026-12-25"), rows: 2 },
        <Preview
          key="preview"
          cron={String(get("cron") ?? "")}
          timeZone={String(get("time_zone") ?? "")}
          skipDates={toLines(get("skip_dates"))}
        />,
        setId === null && {
          name: "persona_id",
          label: t("Persona"),
          options: [["", t("None")], ...personas.map(({ id, name }) => [id, name] as const)],
        },
        setId === null && {
          name: "conversation",
          label: t("Conversation"),
          options: { new: t("A new one for each run"), same: t("One for all runs") },
        },
        setId === null &&
          get("conversation") === "same" && {
            name: "conversation_id",
            label: t("Conversation of all runs"),
            options: [
              ["", t("The first run creates it")],
              ...(isListed ? [] : [[stored, t("An earlier conversation")] as const]),
              ...conversations.map((each) => [each.id, conversationTitleOf(each)] as const),
            ],
          },
        [
          { name: "grace_minutes", label: t("Latest start, minutes late") },
          { name: "max_retries", label: t("Repetitions after a failure") },
          { name: "pause_after", label: t("Failures until it is paused") },
        ],
      ]}
      resource="schedules"
      entity={{ path: "/v1/schedules", id: schedule?.id }}
      {...(setId !== null &&
        schedule === null && {
          onSave: (body: ScheduleBody) => api.POST("/v1/schedules", { body: { ...body, set_id: setId } }),
        })}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}
