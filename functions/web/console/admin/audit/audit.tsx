import { useId, useMemo, useState } from "preact/hooks";
import type { AuditEvent } from "../../../../../shared/api/governance/audit.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { describeType } from "../../lib/codes/resource-types.ts";
import { formatDateTime, formatNumber } from "../../lib/format.ts";
import { language, t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { findPersonId } from "../../lib/people/find-person-id.ts";
import { usePeople } from "../../lib/people/people.ts";
import { PersonField } from "../../lib/people/person-field.tsx";
import { saveFile } from "../../lib/save-file.ts";
import { useTargetNames } from "../../lib/target-names.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { TextField } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icons.tsx";
import { PageLayout } from "../../ui/layout.tsx";
import { MoreButton } from "../../ui/list.tsx";
import { Badge, Empty, ResourceStatus } from "../../ui/status.tsx";
import { describeAction, findAction, listActions } from "./audit-actions.ts";
import { listReferences, type Reference } from "./audit-fields.ts";
import { EntryDialog } from "./entry-dialog.tsx";

type Verification = ReplyOf<"/v1/audit-events/verify", "get">;

interface Filters {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly since: string;
}

const noFilters: Filters = { actor: "", action: "", target: "", since: "" };

/** Maximum number of entries in an exported file. */
const MAX_EXPORTED = 10_000;

/** Recorded changes with filters, and the verification of their hash chain. */
export function Audit() {
  const [draft, setDraft] = useState(noFilters);
  const [filters, setFilters] = useState(noFilters);
  const [selected, setSelected] = useState<AuditEvent | null>(null);
  const [verification, setVerification] = useState<(Verification & { readonly total: number }) | null>(null);
  const [isVerifying, setVerifying] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const { people, nameOf } = usePeople();
  const actionList = useId();
  const actions = useMemo(listActions, [language.value]);
  const action = findAction(draft.action, actions);
  /** True if narrow windows show the filters; others always do. */
  const [isFilterShown, setFilterShown] = useState(false);
  const [isAmbiguous, setAmbiguous] = useState(false);
  const query = {
    ...(filters.actor && { actor: filters.actor }),
    ...(filters.action && { action: filters.action }),
    ...(filters.target && { target: filters.target }),
    ...(filters.since && { since: new Date(filters.since).toISOString() }),
  };
  const list = usePages(
    `audit:${JSON.stringify(query)}`,
    (page) => api.GET("/v1/audit-events", { params: { query: { ...query, ...page } } }),
    (reply) => reply.audit_events,
  );
  const events = list.entries;
  const nameTarget = useTargetNames(
    events.flatMap((event) => {
      const { type, id, via } = event.actor;
      return [...(id ? [{ type, id }] : []), ...(via ? [via] : []), event.target, ...listReferences(event)];
    }),
  );
  const nameReference = (reference: Reference) =>
    reference.type === "user" ? nameOf(reference.id) : nameTarget(reference).name;
  // Only some entries about a target, such as the request of an export, record what it belongs to.
  const belongings = new Map(
    events.flatMap((event) => {
      const named = listReferences(event).find((reference) => nameReference(reference) !== null);
      return named ? [[event.target.id, named] as const] : [];
    }),
  );
  /** Returns the name of a target, or of what it belongs to, such as the conversation of an export. */
  const findTargetName = ({ type, id }: Reference): string | null => {
    const owner = belongings.get(id);
    const own = nameReference({ type, id });
    if (own !== null || !owner) return own;
    return t("{type} “{name}”", { type: describeType(owner.type), name: nameReference(owner) ?? "" });
  };
  const nameActor = ({ type, id }: AuditEvent["actor"]) => {
    if (!id) return describeType(type);
    return nameReference({ type, id }) ?? describeType(type);
  };
  const verify = async () => {
    setVerifying(true);
    try {
      let total = 0;
      let next: string | null = null;
      let result: Verification;
      do {
        result = await api.GET("/v1/audit-events/verify", { params: { query: next ? { cursor: next } : {} } });
        total += result.checked;
        next = result.next_cursor;
      } while (next !== null && result.valid);
      setVerification({ ...result, total });
    } catch (error) {
      showError(error);
    }
    setVerifying(false);
  };
  const exportEvents = async () => {
    setExporting(true);
    try {
      const lines: string[] = [];
      const pages = api.list("/v1/audit-events", { params: { query: { ...query, limit: 100 } } });
      for await (const event of pages) {
        lines.push(`${JSON.stringify(event)}\n`);
        if (lines.length >= MAX_EXPORTED) break;
      }
      saveFile("audit-events.ndjson", new Blob(lines, { type: "application/x-ndjson" }));
      if (lines.length >= MAX_EXPORTED) {
        showToast(t("The newest {count} entries were saved. Filter by date for older ones.", { count: MAX_EXPORTED }));
      }
    } catch (error) {
      showError(error);
    }
    setExporting(false);
  };
  return (
    <PageLayout
      title={t("Audit trail")}
      intro={t("Every change, in a chain of hashes that shows when an entry was altered or removed.")}
      actions={
        <>
          <button
            type="button"
            class="button only-narrow"
            aria-expanded={isFilterShown}
            onClick={() => setFilterShown(!isFilterShown)}
          >
            <Icon name="sliders" />
            {t("Filters")}
            {Object.keys(query).length > 0 && ` (${Object.keys(query).length})`}
          </button>
          <Button icon="download" disabled={isExporting} onClick={exportEvents}>
            {isExporting ? t("Loading") : t("Export")}
          </Button>
          <Button icon="shield" disabled={isVerifying} onClick={verify}>
            {isVerifying ? t("Verifying…") : t("Verify")}
          </Button>
        </>
      }
    >
      {verification && (
        <div class={`notice ${verification.valid ? "success" : "danger"}`} role="status">
          <Icon name={verification.valid ? "check" : "warning"} />
          <span class="grow">
            {verification.valid
              ? t("{count} entries verified. The chain is intact.", { count: formatNumber(verification.total) })
              : t("Entry {number} was changed or removed.", { number: verification.broken?.seq ?? 0 })}
          </span>
          <span class="hash truncate" title={verification.head.hash}>
            {verification.head.hash}
          </span>
        </div>
      )}
      <form
        class={isFilterShown ? "filters" : "filters folded"}
        onSubmit={(event) => {
          event.preventDefault();
          setAmbiguous(action === null);
          if (action === null) return;
          setFilters({ ...draft, actor: findPersonId(draft.actor, people), action });
        }}
      >
        <PersonField
          label={t("User or key")}
          people={people}
          value={draft.actor}
          onValue={(actor) => setDraft({ ...draft, actor })}
        />
        <TextField
          label={t("Action")}
          placeholder={describeAction("folder.created")}
          list={actionList}
          error={isAmbiguous && action === null ? t("Several actions match. Choose one of the list.") : null}
          value={draft.action}
          onValue={(text) => setDraft({ ...draft, action: text })}
        />
        <datalist id={actionList}>
          {actions.map(({ code, words }) => (
            <option key={code} value={words}>
              {code}
            </option>
          ))}
        </datalist>
        <TextField
          label={t("Id of the target")}
          value={draft.target}
          onValue={(target) => setDraft({ ...draft, target })}
        />
        <TextField
          label={t("Since")}
          type="date"
          value={draft.since}
          onValue={(since) => setDraft({ ...draft, since })}
        />
        <Button type="submit">{t("Filter")}</Button>
      </form>
      <ResourceStatus resource={list} lines={8} />
      {list.value !== null && events.length === 0 && (
        <Empty icon="list" title={t("No entry matches")}>
          {t("Changes appear here within seconds.")}
        </Empty>
      )}
      {events.length > 0 && (
        <div class="table-wrap">
          <table class="data responsive">
            <thead>
              <tr>
                <th scope="col">{t("Action")}</th>
                <th scope="col">{t("By")}</th>
                <th scope="col">{t("Target")}</th>
                <th scope="col">{t("When")}</th>
                <th scope="col" class="number">
                  {t("No.")}
                </th>
              </tr>
            </thead>
            <tbody>
              {events.map((event) => (
                <tr key={event.id}>
                  <td>
                    <button type="button" class="link" title={event.action} onClick={() => setSelected(event)}>
                      {describeAction(event.action)}
                    </button>
                  </td>
                  <td data-label={t("By")}>
                    <span class="row wrap">
                      <bdi class="break" title={event.actor.id ?? undefined}>
                        {nameActor(event.actor)}
                      </bdi>{" "}
                      {event.actor.type !== "user" && <Badge>{describeType(event.actor.type)}</Badge>}
                      {event.actor.via && <Credential {...nameTarget(event.actor.via)} id={event.actor.via.id} />}
                    </span>
                  </td>
                  <td data-label={t("Target")}>
                    <TargetName
                      type={describeType(event.target.type)}
                      name={findTargetName(event.target)}
                      id={event.target.id}
                    />
                  </td>
                  <td class="nowrap" data-label={t("When")}>
                    {formatDateTime(event.occurred_at)}
                  </td>
                  <td data-label={t("No.")} class="number">
                    {event.seq}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <MoreButton list={list} />
      {selected && (
        <EntryDialog
          event={selected}
          actor={nameActor(selected.actor)}
          target={[describeType(selected.target.type), findTargetName(selected.target)].filter(Boolean).join(": ")}
          nameOf={nameReference}
          onFilter={() => {
            setDraft({ ...noFilters, target: selected.target.id });
            setFilters({ ...noFilters, target: selected.target.id });
            setSelected(null);
          }}
          onClose={() => setSelected(null)}
        />
      )}
    </PageLayout>
  );
}

/** Type and name of the credential with which a change was made, with its id on hover. */
function Credential(props: { readonly type: string; readonly name: string | null; readonly id: string }) {
  const { type, name, id } = props;
  return (
    <span class="badge truncate" title={id}>
      {type} {name}
    </span>
  );
}

/** Type and name of a target, with its id on hover. */
function TargetName(props: { readonly type: string; readonly name: string | null; readonly id: string }) {
  const { type, name, id } = props;
  return (
    <span class="target" title={id}>
      <span class="small muted">{type}</span>
      {name && <bdi class="truncate">{name}</bdi>}
    </span>
  );
}
