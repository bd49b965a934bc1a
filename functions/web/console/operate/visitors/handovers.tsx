import { useEffect } from "preact/hooks";
import { repeatWhileVisible } from "../../lib/data.ts";
import { formatAgo, formatDateTime } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { usePages } from "../../lib/pages.ts";
import { api } from "../../session/session.ts";
import { PageLayout } from "../../ui/layout.tsx";
import { MoreButton } from "../../ui/list.tsx";
import { Badge, Empty, ResourceStatus } from "../../ui/status.tsx";
import { describeReason, describeStatus } from "./handover-texts.ts";

/** Interval at which the list is loaded again, in milliseconds. */
const INTERVAL_MS = 10_000;

/** Sessions of visitors that wait for a person, or are with one. */
export function Handovers() {
  const list = usePages(
    "handovers",
    (page) => api.GET("/v1/handovers", { params: { query: page } }),
    ({ handovers }) => handovers,
  );
  useEffect(() => repeatWhileVisible(list.reload, INTERVAL_MS), []);
  return (
    <PageLayout
      title={t("Visitors")}
      intro={t(
        "Visitors of your websites who ask for a person. The assistant does not answer them until you return them.",
      )}
    >
      <ResourceStatus resource={list} />
      {list.value?.entries.length === 0 && (
        <Empty icon="chat" title={t("No visitor is waiting")}>
          {t("A website widget decides when visitors can ask for a person.")}
        </Empty>
      )}
      <div class="stack">
        {list.entries.map(({ id, question, site, status, reason, person, contact_email, requested_at }) => {
          const [kind, text] = describeStatus(status);
          return (
            <a key={id} class="card stack tight" href={`/console/operate/visitors/${id}`}>
              <div class="row between">
                <strong class="truncate grow" dir="auto">
                  {question || describeReason(reason)}
                </strong>
                <Badge kind={kind}>{text}</Badge>
              </div>
              <span class="small muted">
                {[site, person?.name, contact_email, formatAgo(requested_at)].filter(Boolean).join(" · ")}
                <span class="visually-hidden"> {formatDateTime(requested_at)}</span>
              </span>
            </a>
          );
        })}
      </div>
      <MoreButton list={list} />
    </PageLayout>
  );
}
