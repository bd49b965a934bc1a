import { useEffect, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import type { ReplyOf } from "../../../../shared/client/index.ts";
import { severityTexts } from "../lib/codes/server-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatAgo, formatDateTime } from "../lib/format.ts";
import { t, tn } from "../lib/i18n.ts";
import { usePages } from "../lib/pages.ts";
import { type NameOf, usePeople } from "../lib/people/people.ts";
import { showError, showToast } from "../lib/toast.ts";
import { api } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { Icon } from "../ui/icons.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { MoreButton } from "../ui/list.tsx";
import { Badge, Empty, ResourceStatus } from "../ui/status.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { IncidentReview } from "./incident-review.tsx";
import { describeObservation, describeTimelineEntry, verdictKinds, verdictTexts } from "./incident-texts.ts";
import { IncidentUpdates, useIncidentUpdates } from "./incident-updates.tsx";

type Investigation = ReplyOf<"/v1/investigations", "get">["investigations"][number];
type Result = NonNullable<ReplyOf<"/v1/investigations/{id}", "get">["result"]>;

/** Pause between requests while an investigation runs, in ms. */
const REFRESH_MS = 3_000;

const severityKinds = { low: "", medium: "accent", high: "warning", critical: "danger" } as const;

const stateTexts = () => ({ open: t("open"), acknowledged: t("acknowledged"), resolved: t("resolved") });

const statusTexts = (): Record<Investigation["status"], string> => ({
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
});

const isActive = ({ ended_at }: Investigation) => ended_at === null;

/** True if an investigation ended without a verdict; `inconclusive` is a verdict. */
const isMissed = ({ ended_at, verdict }: Investigation) => ended_at !== null && verdict === null;

function Badges({ investigation }: { readonly investigation: Investigation }) {
  const { severity, state, verdict, status, reason } = investigation;
  return (
    <div class="row wrap">
      <Badge kind={severityKinds[severity]}>{severityTexts()[severity]}</Badge>
      {state && <Badge kind={state === "resolved" ? "success" : "warning"}>{stateTexts()[state]}</Badge>}
      {verdict ? (
        <Badge kind={verdictKinds[verdict]}>{verdictTexts()[verdict]}</Badge>
      ) : (
        <Badge>
          {statusTexts()[status]}
          {isMissed(investigation) && reason && `: ${reasonTexts()[reason] ?? reason.replaceAll("_", " ")}`}
        </Badge>
      )}
    </div>
  );
}

function Summary({ investigation, nameOf }: { readonly investigation: Investigation; readonly nameOf: NameOf }) {
  const { service, created_at, acknowledged_by } = investigation;
  return (
    <p class="small muted">
      <time dateTime={created_at} title={formatDateTime(created_at)}>
        {t("began {time}", { time: formatAgo(created_at) })}
      </time>
      {service && ` · ${service}`}
      {acknowledged_by && ` · ${t("taken by {user}", { user: nameOf(acknowledged_by) })}`}
    </p>
  );
}

function IncidentList() {
  const [tab, setTab] = useState<"open" | "missed" | "all">("open");
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
      intro={t("Alerts that were investigated, in the conversations that you can read.")}
      back={{ path: "/console/govern", label: t("Govern"), isNarrowOnly: true }}
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
      <div class="stack">
        {entries.map((investigation) => (
          <a
            key={investigation.id}
            class={`card alert-card ${investigation.state ?? ""}`}
            href={`/console/govern/incidents/${investigation.id}`}
          >
            <Badges investigation={investigation} />
            <h2>{investigation.title ?? t("Alert")}</h2>
            {investigation.cause && <p>{investigation.cause}</p>}
            <Summary investigation={investigation} nameOf={nameOf} />
          </a>
        ))}
      </div>
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
    try {
      await api.POST("/v1/investigations/{id}/acknowledge", { params });
      showToast(t("You take care of this incident."));
      invalidate("investigations:");
    } catch (error) {
      showError(error);
    }
  };
  return (
    <PageLayout
      title={investigation?.title ?? t("Incident")}
      back={{ path: "/console/govern/incidents", label: t("Incidents") }}
      actions={
        investigation && (
          <>
            <a class="button" href={`/console/chat/${investigation.conversation_id}`}>
              <Icon name="chat" />
              {t("Open the conversation")}
            </a>
            {!isActive(investigation) && <IncidentReview id={id} />}
            {investigation.acknowledged_by === null && !isWrittenBack && (
              <Button kind="primary" icon="check" onClick={acknowledge}>
                {t("Acknowledge")}
              </Button>
            )}
          </>
        )
      }
    >
      <ResourceStatus resource={resource} />
      {investigation && (
        <>
          <div class="stack tight" aria-live="polite">
            <Badges investigation={investigation} />
            <Summary investigation={investigation} nameOf={nameOf} />
          </div>
          <IncidentUpdates id={id} nameOf={nameOf} />
          {investigation.result && <ResultView result={investigation.result} isComplete={!isActive(investigation)} />}
        </>
      )}
    </PageLayout>
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
  const { verdict, cause, tool_calls, hypotheses, discarded, next_steps, timeline, observations, runbook } = result;
  const outcomes = { supported: t("supported"), refuted: t("refuted"), untested: t("not tested") };
  return (
    <>
      {isComplete && (
        <p>
          {cause === null
            ? tn(
                "No cause is proven after {count} tool call.",
                "No cause is proven after {count} tool calls.",
                tool_calls,
              )
            : `${verdictTexts()[verdict]}: ${cause}`}
        </p>
      )}
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
          <ol class="steps">
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
