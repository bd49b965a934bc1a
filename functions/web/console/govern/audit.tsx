import { useState } from "preact/hooks";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatDateTime, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePeople } from "../lib/people.ts";
import { saveFile } from "../lib/save-file.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Badge, Button, Dialog, Empty, ResourceStatus, TextField } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Page } from "../ui/layout.tsx";

type AuditEvent = ReplyOf<"/v1/audit-events", "get">["audit_events"][number];
type Verification = ReplyOf<"/v1/audit-events/verify", "get">;

interface Filters {
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly since: string;
}

const noFilters: Filters = { actor: "", action: "", target: "", since: "" };
const PAGE_SIZE = 50;

/** Maximum number of entries in an exported file. */
const MAX_EXPORTED = 10_000;

/** Recorded changes with filters, and the verification of their hash chain. */
export function Audit() {
  const [draft, setDraft] = useState(noFilters);
  const [filters, setFilters] = useState(noFilters);
  const [more, setMore] = useState<{ readonly events: readonly AuditEvent[]; readonly cursor: string | null } | null>(
    null,
  );
  const [selected, setSelected] = useState<AuditEvent | null>(null);
  const [verification, setVerification] = useState<(Verification & { readonly total: number }) | null>(null);
  const [isVerifying, setVerifying] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const { nameOf } = usePeople();
  const query = {
    limit: PAGE_SIZE,
    ...(filters.actor && { actor: filters.actor }),
    ...(filters.action && { action: filters.action }),
    ...(filters.target && { target: filters.target }),
    ...(filters.since && { since: new Date(filters.since).toISOString() }),
  };
  const list = useResource(`audit:${JSON.stringify(query)}`, () => api.GET("/v1/audit-events", { params: { query } }));
  const events = [...(list.value?.audit_events ?? []), ...(more?.events ?? [])];
  const cursor = more ? more.cursor : (list.value?.next_cursor ?? null);
  const loadMore = async () => {
    try {
      const page = await api.GET("/v1/audit-events", { params: { query: { ...query, cursor: cursor ?? undefined } } });
      setMore({ events: [...(more?.events ?? []), ...page.audit_events], cursor: page.next_cursor });
    } catch (error) {
      showError(error);
    }
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
    <Page
      title={t("Audit trail")}
      intro={t("Every change, in a chain of hashes that shows when an entry was altered or removed.")}
      back={{ path: "/console/govern", label: t("Govern"), isNarrowOnly: true }}
      actions={
        <>
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
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setMore(null);
          setFilters(draft);
        }}
      >
        <TextField label={t("User or key")} value={draft.actor} onValue={(actor) => setDraft({ ...draft, actor })} />
        <TextField
          label={t("Action")}
          placeholder="grant.created"
          value={draft.action}
          onValue={(action) => setDraft({ ...draft, action })}
        />
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
                    <button type="button" class="link" onClick={() => setSelected(event)}>
                      {event.action}
                    </button>
                  </td>
                  <td data-label={t("By")}>
                    <span class="row">
                      <span title={event.actor.id ?? undefined}>
                        {event.actor.id ? nameOf(event.actor.id) : event.actor.type}
                      </span>{" "}
                      {event.actor.type !== "user" && <Badge>{event.actor.type}</Badge>}
                      {event.actor.via && <Badge>{`${event.actor.via.type} ${event.actor.via.id}`}</Badge>}
                    </span>
                  </td>
                  <td data-label={t("Target")}>
                    <span class="hash truncate" title={event.target.id}>
                      {event.target.id}
                    </span>
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
      {cursor && <Button onClick={loadMore}>{t("Show more")}</Button>}
      {selected && (
        <Dialog title={selected.action} onClose={() => setSelected(null)} isWide>
          <div class="code">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
            <pre tabIndex={0}>{JSON.stringify(selected, null, 2)}</pre>
          </div>
        </Dialog>
      )}
    </Page>
  );
}
