import type { ReplyOf } from "../../../../shared/client/index.ts";
import { invalidate } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { Menu } from "../ui/menu.tsx";

export type ListedIncident = ReplyOf<"/v1/investigations", "get">["investigations"][number];

/** True while alerts of an incident start no investigation, because a person silenced it. */
export const isSilenced = ({ silenced_until }: ListedIncident): boolean =>
  silenced_until !== null && Date.parse(silenced_until) > Date.now();

const silences = () =>
  [
    [60, t("Silence for 1 hour")],
    [480, t("Silence for 8 hours")],
    [1_440, t("Silence for 1 day")],
    [10_080, t("Silence for 7 days")],
  ] as const;

/** Performs an action on an incident, and loads what shows it again. */
async function act(action: () => Promise<unknown>, text: string): Promise<void> {
  await action();
  invalidate("investigations:");
  showToast(text);
}

const merge = (id: string, into: string | null) =>
  api.POST("/v1/investigations/{id}/merge", { params: { path: { id } }, body: { into } });

/** Returns the incidents of a list that another one can be merged into. */
export const mergeTargets = (
  { id, channel_id, merged_into, merged_count }: ListedIncident,
  list: readonly ListedIncident[],
): readonly ListedIncident[] =>
  merged_into === null && merged_count === 0
    ? list.filter((other) => other.id !== id && other.channel_id === channel_id && other.merged_into === null)
    : [];

/** Menu of an incident: silence it, merge it into another one, or undo either. */
export function IncidentActions({
  incident,
  onMerge,
}: {
  readonly incident: ListedIncident;
  /** Opens the dialog to merge it into another incident; null if there is none. */
  readonly onMerge: (() => void) | null;
}) {
  const { id, merged_into } = incident;
  const silence = (minutes: number | null) => {
    const request = () => api.POST("/v1/investigations/{id}/silence", { params: { path: { id } }, body: { minutes } });
    act(request, minutes === null ? t("The silence has ended.") : t("The incident is silenced.")).catch(showError);
  };
  return (
    <Menu
      label={t("More actions")}
      entries={[
        ...(isSilenced(incident)
          ? [{ label: t("End the silence"), icon: "clock" as const, onSelect: () => silence(null) }]
          : silences().map(([minutes, label]) => ({
              label,
              icon: "clock" as const,
              onSelect: () => silence(minutes),
            }))),
        ...(onMerge ? [{ label: t("Merge into another incident"), icon: "link" as const, onSelect: onMerge }] : []),
        ...(merged_into !== null
          ? [
              {
                label: t("Separate again"),
                icon: "link" as const,
                onSelect: () => void act(() => merge(id, null), t("The incident is separate again.")).catch(showError),
              },
            ]
          : []),
      ]}
    />
  );
}

/** Dialog that merges an incident into another one. */
export function MergeDialog({
  id,
  targets,
  onClose,
}: {
  readonly id: string;
  readonly targets: readonly ListedIncident[];
  readonly onClose: () => void;
}) {
  return (
    <FormDialog
      title={t("Merge into another incident")}
      action={t("Merge")}
      schema={bodySchema("/v1/investigations/{id}/merge", "post")}
      fields={[
        {
          name: "into",
          label: t("Incident"),
          options: targets.map(({ id: target, title, service }) => [
            target,
            [title ?? t("Alert"), service].filter(Boolean).join(" · "),
          ]),
        },
      ]}
      resource="investigations:"
      savedText={t("The incidents are shown as one.")}
      onSave={({ into }) => merge(id, into)}
      onClose={onClose}
    >
      <p class="muted small">{t("Later alerts of the merged incident start no investigation.")}</p>
    </FormDialog>
  );
}
