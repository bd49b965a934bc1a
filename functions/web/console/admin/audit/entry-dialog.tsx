import type { AuditEvent } from "../../../../../shared/api/governance/audit.ts";
import { formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { Button } from "../../ui/buttons.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ValueText } from "../../ui/value-text.tsx";
import { describeAction } from "./audit-actions.ts";
import { describeField, listChanges, type Reference, toReference } from "./audit-fields.ts";

/** Timestamp in ISO 8601. */
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** Entry of the audit trail in words: who changed what, and the recorded values. */
export function EntryDialog({
  event,
  actor,
  target,
  nameOf,
  onFilter,
  onClose,
}: {
  readonly event: AuditEvent;
  readonly actor: string;
  readonly target: string;
  /** Returns the name of a resource; null if the user cannot read it or it was deleted. */
  readonly nameOf: (reference: Reference) => string | null;
  /** Shows all entries with the same target. */
  readonly onFilter: () => void;
  readonly onClose: () => void;
}) {
  const format = (field: string) => (value: string | number) => {
    const reference = toReference(field, value);
    if (reference) return nameOf(reference) ?? t("without a name");
    return timestampPattern.test(String(value)) ? formatDateTime(String(value)) : String(value);
  };
  const changes = listChanges(event);
  const hasBefore = changes.some(({ before }) => before !== undefined);
  return (
    <Dialog title={describeAction(event.action)} onClose={onClose} isWide>
      <dl class="parameters">
        {[
          [t("Target"), target],
          [t("By"), actor],
          [t("When"), formatDateTime(event.occurred_at)],
          [t("No."), String(event.seq)],
        ].map(([label, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd dir="auto">{text}</dd>
          </div>
        ))}
      </dl>
      <DataTable
        rows={changes}
        keyOf={({ field }) => field}
        columns={[
          { label: t("Field"), cell: ({ field }) => describeField(field) },
          ...(hasBefore
            ? [
                {
                  label: t("Before"),
                  cell: ({ field, before }: (typeof changes)[number]) => (
                    <ValueText value={before} format={format(field)} />
                  ),
                },
              ]
            : []),
          {
            label: hasBefore ? t("After") : t("Value"),
            cell: ({ field, after, isRedacted }) =>
              isRedacted ? t("changed; the text is not recorded") : <ValueText value={after} format={format(field)} />,
          },
        ]}
      />
      <div class="actions">
        <Button onClick={onFilter}>{t("All entries about it")}</Button>
        <Button kind="primary" onClick={onClose}>
          {t("Close")}
        </Button>
      </div>
    </Dialog>
  );
}
