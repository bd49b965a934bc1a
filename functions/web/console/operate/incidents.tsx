import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { withoutTitle } from "../chat/alerts/without-title.ts";
import { severityKinds, severityTexts, stateTexts } from "../lib/codes/server-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { type NameOf, usePeople } from "../lib/people/people.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Icon } from "../ui/icons.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { Badge, Empty, ResourceStatus } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { IncidentActions, isSilenced, type ListedIncident, MergeDialog, mergeTargets } from "./incident-actions.tsx";
import { IncidentReview } from "./incident-review.tsx";
import { describeObservation, describeTimelineEntry, verdictKinds, verdictTexts } from "./incident-texts.ts";
import { IncidentUpdates, useIncidentUpdates } from "./incident-updates.tsx";

type DetailedInvestigation = ReplyOf<"/v1/investigations/{id}", "get">;
type Result = NonNullable<DetailedInvestigation["result"]>;

/** Pause between requests while an investigation runs, in ms. */
const REFRESH_MS = 3_000;

const statusTexts = (): Record<ListedIncident["status"], string> => ({
  queued: t("waits for its turn"),
  running: t("under investigation"),
  waiting: t("waits for an approval"),
  completed: t("investigated"),
  interrupted: t("investigation stopped"),
  failed: t("investigation failed"),
  skipped: t("not investigated"),
});

/** Incidents that are open, with their investigations, or one of them. */
export function Incidents() {
  const { id } = useRoute().params;
  return id ? <Incident key={id} id={id} /> : <IncidentList />;
}

/** Loads the data again for as long as it is changing. */
function useRefresh(isChanging: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isChanging) return;
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isChanging, reload]);
}

/** Reasons for which an incident was not investigated, by their codes. */
const reasonTexts = (): Readonly<Record<string, string>> => ({
  budget: t("the budget was used up"),
  channel: t("the channel was removed"),
  user: t("the person who set it up has no access any more"),
  forbidden: t("the person who set it up has no access any more"),
  persona: t("its persona was deleted"),
  resolved: t("it was resolved before its turn"),
  tenant: t("the organization was suspended"),
  off: t("turned off in its channel"),
  severity: t("it is less severe than its channel requires"),
  match: t("its channel does not select it"),
  own_alarm: t("it is an alarm of this service"),
  acknowledged: t("a person took it before"),
});

const isActive = ({ ended_at }: ListedIncident) => ended_at === null;

/** True if an investigation ended without a verdict; `inconclusive` is a verdict. */
const isMissed = ({ ended_at, verdict }: ListedIncident) => ended_at !== null && verdict === null;

/** Severity and present state of an incident. */
function StateBadges({ investigation }: { readonly investigation: ListedIncident }) {
  const { severity, state, merged_into, merged_count, silenced_until } = investigation;
  return (
    <span class="row wrap">
      <Badge kind={severityKinds[severity]}>{severityTexts()[severity]}</Badge>
      {state && <Badge kind={state === "resolved" ? "success" : "warning"}>{stateTexts()[state]}</Badge>}
      {isSilenced(investigation) && silenced_until && (
        <Badge>{t("silenced until {date}", { date: formatDateTime(silenced_until) })}</Badge>
      )}
      {merged_into !== null && <Badge>{t("merged into another one")}</Badge>}
      {merged_count > 0 && <Badge>{tn("with {count} other", "with {count} others", merged_count)}</Badge>}
    </span>
  );
}

/** Verdict of an investigation, or why there is none. */
function Outcome({ investigation }: { readonly investigation: ListedIncident }) {
  const { verdict, status, reason } = investigation;
  if (verdict) return <Badge kind={verdictKinds[verdict]}>{verdictTexts()[verdict]}</Badge>;
  return (
    <span class={isMissed(investigation) ? "muted" : ""}>
      {statusTexts()[status]}
      {isMissed(investigation) && reason && `: ${reasonTexts()[reason] ?? reason.replaceAll("_", " ")}`}
    </span>
  );
}

/** Returns who takes care of an incident: who said so here, or whom the service of the alert names. */
const describeResponsible = ({ acknowledged_by, assigned_to }: ListedIncident, nameOf: NameOf): string =>
  [acknowledged_by && nameOf(acknowledged_by), assigned_to].filter(Boolean).join(", ") || "–";

function IncidentList() {
  const [tab, setTab] = useState<"open" | "missed" | "all">("open");
  const [merging, setMerging] = useState<ListedIncident | null>(null);
  const { nameOf } = usePeople();
  const list = usePages(
    `investigations:${tab}`,
    (page) => api.GET("/v1/investigations", { params: { query: { ...page, state: tab === "all" ? "all" : "open" } } }),
    ({ investigations }) => (tab === "missed" ? investigations.filter(isMissed) : investigations),
  );
  const { entries } = list;
  useRefresh(entries.some(isActive), list.reload);
  return (
    <PageLayout
      title={t("Incidents")}
      intro={t("Open alerts in the conversations that you can read, and what investigations found.")}
    >
      <Tabs
        label={t("Incidents")}
        value={tab}
        onValue={setTab}
        options={[
          ["open", t("Unresolved")],
          ["missed", t("Not investigated")],
          ["all", t("All")],
        ]}
      />
      <ResourceStatus resource={list} />
      {list.value !== null && entries.length === 0 && !list.more && (
        <Empty icon="bolt" title={tab === "missed" ? t("Each open incident was investigated") : t("No incident")}>
          {t("A channel starts investigations after you turn them on in its settings.")}
        </Empty>
      )}
      <DataTable
        rows={entries}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t("Incident"),
            cell: ({ id, title, service, cause }) => (
              <>
                <a href={`/console/operate/incidents/${id}`}>
                  <bdi>{title || t("Alert")}</bdi>
                </a>
                {(cause ?? service) && <div class="muted small">{cause ?? service}</div>}
              </>
            ),
          },
          { label: t("State"), cell: (investigation) => <StateBadges investigation={investigation} /> },
          { label: t("Investigation"), cell: (investigation) => <Outcome investigation={investigation} /> },
          { label: t("Responsible"), cell: (investigation) => describeResponsible(investigation, nameOf) },
          {
            label: t("Began"),
            title: ({ created_at }) => formatDateTime(created_at),
            cell: ({ created_at }) => formatAgo(created_at),
          },
          {
            label: null,
            cell: (investigation) => (
              <IncidentActions
                incident={investigation}
                onMerge={mergeTargets(investigation, entries).length > 0 ? () => setMerging(investigation) : null}
              />
            ),
          },
        ]}
      />
      {merging && (
        <MergeDialog id={merging.id} targets={mergeTargets(merging, entries)} onClose={() => setMerging(null)} />
      )}
      <MoreButton list={list} />
    </PageLayout>
  );
}

function Incident({ id }: { readonly id: string }) {
  const { nameOf } = usePeople();
  const params = { path: { id } };
  const resource = useResource(`investigations:one:${id}`, () => api.GET("/v1/investigations/{id}", { params }));
  const investigation = resource.value;
  const isWrittenBack = useIncidentUpdates(id).value?.write_back?.actions.acknowledge !== undefined;
  useRefresh(investigation !== null && isActive(investigation), resource.reload);
  const acknowledge = async () => {
    await api.POST("/v1/investigations/{id}/acknowledge", { params });
    showToast(t("You take care of this incident."));
    invalidate("investigations:");
  };
  return (
    <PageLayout
      title={investigation?.title ?? t("Incident")}
      back={{ path: "/console/operate/incidents", label: t("Incidents") }}
      actions={
        investigation && (
          <>
            <a class="button" href={`/console/chat/${investigation.conversation_id}`}>
              <Icon name="chat" />
              {t("Open the conversation")}
            </a>
            {!isActive(investigation) && investigation.result && <IncidentReview id={id} />}
            {investigation.acknowledged_by === null && !isWrittenBack && (
              <Button kind="primary" icon="check" onClick={() => acknowledge().catch(showError)}>
                {t("Acknowledge")}
              </Button>
            )}
            <IncidentActions incident={investigation} onMerge={null} />
          </>
        )
      }
    >
      <ResourceStatus resource={resource} />
      {investigation && (
        <>
          <div class="row wrap" aria-live="polite">
            <StateBadges investigation={investigation} />
            <Outcome investigation={investigation} />
          </div>
          <KnownFacts investigation={investigation} nameOf={nameOf} />
          <IncidentUpdates id={id} nameOf={nameOf} />
          {investigation.result && <ResultView result={investigation.result} isComplete={!isActive(investigation)} />}
        </>
      )}
    </PageLayout>
  );
}

/** Facts that are known without an investigation: the alert, who is responsible, and what was merged into the incident. */
function KnownFacts({
  investigation,
  nameOf,
}: {
  readonly investigation: DetailedInvestigation;
  readonly nameOf: NameOf;
}) {
  const { alert, service, created_at, assigned_to, acknowledged_by, result, merged } = investigation;
  const kindsOf = (kind: Result["observations"][number]["kind"]) =>
    result?.observations.filter((observation) => observation.kind === kind).length ?? 0;
  const description = withoutTitle(alert?.description.trim() ?? "", investigation.title ?? "");
  const facts: readonly (readonly [label: string, value: ComponentChildren])[] = [
    [t("Began"), `${formatDateTime(created_at)} (${formatAgo(created_at)})`],
    [t("Service"), service],
    [t("Responsible"), assigned_to],
    [t("Taken by"), acknowledged_by && nameOf(acknowledged_by)],
    [t("Runbook"), result?.runbook?.title],
    [t("Earlier incidents"), kindsOf("earlier") || null],
    [t("Tool calls"), result?.tool_calls || null],
  ];
  return (
    <section class="section stack tight">
      <h2>{t("What is known")}</h2>
      {description && <p class="break">{description}</p>}
      <FactList facts={facts} />
      {alert?.link && /^https?:\/\//.test(alert.link) && (
        <p>
          <a href={alert.link} target="_blank" rel="noreferrer nofollow">
            {t("Open the alert in its service")}
          </a>
        </p>
      )}
      {alert && Object.keys(alert.details).length > 0 && (
        <details>
          <summary>{t("Details of the alert")}</summary>
          <FactList facts={Object.entries(alert.details).toSorted(([a], [b]) => a.localeCompare(b))} />
        </details>
      )}
      {merged.length > 0 && (
        <ul aria-label={t("Merged incidents")}>
          {merged.map((other) => (
            <li key={other.id} class="row wrap">
              <a href={`/console/operate/incidents/${other.id}`}>{other.title || t("Alert")}</a>
              <StateBadges investigation={other} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** List of labeled facts. Leaves out those without a value. */
function FactList({ facts }: { readonly facts: readonly (readonly [label: string, value: ComponentChildren])[] }) {
  return (
    <dl class="parameters small">
      {facts.map(
        ([label, value]) =>
          value && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Observation with its beginning, which is opened in place. */
function Evidence({ result, id }: { readonly result: Result; readonly id: string }) {
  const observation = result.observations.find((each) => each.id === id);
  if (!observation) return null;
  return (
    <details>
      <summary>
        <bdi>{describeObservation(observation.title)}</bdi>
      </summary>
      <pre class="small">{observation.excerpt}</pre>
    </details>
  );
}

function ResultView({ result, isComplete }: { readonly result: Result; readonly isComplete: boolean }) {
  const { verdict, cause, hypotheses, discarded, next_steps, timeline, observations, runbook } = result;
  const outcomes = { supported: t("supported"), refuted: t("refuted"), untested: t("not tested") };
  return (
    <>
      {isComplete && <p>{cause === null ? t("No cause is proven.") : `${verdictTexts()[verdict]}: ${cause}`}</p>}
      {hypotheses.length > 0 && (
        <section class="section stack tight">
          <h2>{t("Hypotheses")}</h2>
          {hypotheses.map(({ claim, outcome, confidence, test, evidence }) => (
            <article key={claim} class="card stack tight">
              <div class="row wrap">
                <Badge kind={outcome === "supported" ? "success" : ""}>{outcomes[outcome]}</Badge>
                <span class="small muted">{Math.round(confidence * 100)} %</span>
              </div>
              <strong>{claim}</strong>
              <p class="small muted">{test}</p>
              {[...new Set(evidence.map(({ observation }) => observation))].map((id) => (
                <Evidence key={id} result={result} id={id} />
              ))}
            </article>
          ))}
        </section>
      )}
      {discarded.length > 0 && (
        <p class="small muted">
          {tn(
            "{count} claim without proof was discarded.",
            "{count} claims without proof were discarded.",
            discarded.length,
          )}
        </p>
      )}
      {next_steps.length > 0 && (
        <section class="section stack tight">
          <h2>{t("Next steps")}</h2>
          {runbook && <p class="small muted">{t("Runbook: {title}", { title: runbook.title })}</p>}
          <ol class="next-steps">
            {next_steps.map(({ text, command, link }) => (
              <li key={text}>
                {text.replaceAll("`", "")}
                {command && <CodeSnippet title={t("Command")} code={command} />}
                {link && /^https?:\/\//.test(link) && (
                  <p>
                    <a href={link} target="_blank" rel="noreferrer nofollow">
                      {link}
                    </a>
                  </p>
                )}
              </li>
            ))}
          </ol>
        </section>
      )}
      <section class="section stack tight">
        <h2>{t("Timeline")}</h2>
        <ul>
          {timeline.map(({ at, text, observation }) => (
            <li key={`${at} ${text} ${observation}`}>
              <time dateTime={at} class="small muted">
                {formatDateTime(at)}
              </time>{" "}
              {describeTimelineEntry(text)}
            </li>
          ))}
        </ul>
      </section>
      <section class="section stack tight">
        <h2>{t("Observations")}</h2>
        {observations.map(({ id }) => (
          <Evidence key={id} result={result} id={id} />
        ))}
      </section>
    </>
  );
}
