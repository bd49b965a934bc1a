import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { formatBytes, formatCompact, formatCost, formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ResourcePage } from "../ui/resource-page.tsx";
import { Badge } from "../ui/status.tsx";
import { useBudgetSubjects } from "./budget-subjects.ts";

type Budget = ReplyOf<"/v1/budgets", "get">["budgets"][number];
type ScopeType = Budget["scope"]["type"];
type State = NonNullable<Budget["current"]>;
type Stored = ReplyOf<"/v1/me/limits", "get">["storage"]["bytes"];

const formatAmount = (unit: Budget["unit"], amount: number) =>
  unit === "usd" ? formatCost(amount) : formatCompact(amount);

/** Texts are looked up when they are shown, in the language of the user. */
const unitTexts = (): Record<Budget["unit"], string> => ({
  usd: t("US dollars"),
  tokens: t("Tokens"),
  requests: t("Answers of any kind"),
  runs: t("Answers of chat and widget"),
});
const windowTexts = (): Record<Budget["window"], string> => ({
  day: t("Day"),
  week: t("Week"),
  month: t("Month"),
  total: t("In total"),
});
const scopeTexts = (): Record<ScopeType, string> => ({
  tenant: t("Organization"),
  group: t("Each group"),
  user: t("Each user"),
  key: t("Each API key"),
  persona: t("Each persona"),
});

/** Budgets of the organization with what is used of them. */
export function Budgets() {
  const list = useResource("budgets", () => api.GET("/v1/budgets"));
  const limits = useResource("my-limits", () => api.GET("/v1/me/limits"));
  const { documents, bytes } = limits.value?.storage ?? {};
  const storage = [
    ...(documents?.limit == null ? [] : [{ title: t("Documents"), stored: documents, format: formatCompact }]),
    ...(bytes?.limit == null ? [] : [{ title: t("Documents and files"), stored: bytes, format: formatBytes }]),
  ];
  return (
    <ResourcePage
      title={t("Budgets")}
      intro={t("Answers are refused when a budget that applies to them is used up.")}
      resource={list}
      entries={list.value?.budgets}
      name="budgets"
      newText={can("budgets.manage") && t("New budget")}
      dialog={(budget, close) =>
        budget ? <BudgetDialog budget={budget} onClose={close} /> : <NewBudgetDialog onClose={close} />
      }
      empty={{
        icon: "chart",
        title: t("No budget yet"),
        text: t("A budget limits what users, keys and personas consume in a day, a week or a month."),
      }}
      textOf={({ name, scope }) => `${name} ${scopeTexts()[scope.type]}`}
      card={(budget, { edit }) => <BudgetCard key={budget.id} budget={budget} onEdit={() => edit(budget)} />}
    >
      {storage.length > 0 && storage.map((each) => <StorageCard key={each.title} {...each} />)}
    </ResourcePage>
  );
}

/** Part of a limit that is used. */
function Progress({ used, limit }: { readonly used: number; readonly limit: number }) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <span class="progress wide" aria-hidden="true">
      <div style={{ width: `${share * 100}%` }} class={share >= 0.8 ? "high" : ""} />
    </span>
  );
}

/** Limit of the operator for what the organization stores. */
function StorageCard(props: {
  readonly title: string;
  readonly stored: Stored;
  readonly format: (amount: number) => string;
}) {
  const { title, stored, format } = props;
  const limit = stored.limit ?? 0;
  return (
    <article class="card stack tight">
      <strong>{t("Limit of the service")}</strong>
      <span class="row wrap">
        <Badge>{title}</Badge>
      </span>
      <span>{t("{used} of {limit} used", { used: format(stored.used), limit: format(limit) })}</span>
      <Progress used={stored.used} limit={limit} />
    </article>
  );
}

function BudgetCard({ budget, onEdit }: { readonly budget: Budget; readonly onEdit: () => void }) {
  const { name, scope, unit, limit, window, source, current } = budget;
  const subject = useBudgetSubjects().nameOf(scope);
  const isChangeable = source === "administrator" && can("budgets.manage");
  return (
    <article class="card stack tight">
      <span class="row between">
        <strong class="truncate" title={name}>
          {source === "operator" ? t("Limit of the service") : name}
        </strong>
        {isChangeable && (
          <Button isSmall icon="edit" aria-label={t("Change {name}", { name })} onClick={onEdit}>
            {t("Change")}
          </Button>
        )}
      </span>
      <span class="row wrap">
        <Badge>{subject ?? scopeTexts()[scope.type]}</Badge>
        <Badge>{windowTexts()[window]}</Badge>
      </span>
      <span>
        {current
          ? t("{used} of {limit} used", { used: formatAmount(unit, current.used), limit: formatAmount(unit, limit) })
          : t("{limit} for each", { limit: formatAmount(unit, limit) })}
      </span>
      {current && <BudgetState budget={budget} current={current} />}
    </article>
  );
}

/** Returns what is used at the end of the window at the present pace; null while it is too early to say. */
function forecast({ used, starts_at, resets_at }: State): number | null {
  if (starts_at === null || resets_at === null || used === 0) return null;
  const [from, to] = [Date.parse(starts_at), Date.parse(resets_at)];
  const elapsed = (Date.now() - from) / (to - from);
  return elapsed < 0.05 ? null : used / Math.min(1, elapsed);
}

function BudgetState({ budget, current }: { readonly budget: Budget; readonly current: State }) {
  const { unit, limit } = budget;
  const expected = forecast(current);
  return (
    <>
      <Progress used={current.used} limit={limit} />
      {expected !== null && (
        <span class="small">
          {t("At this pace, {amount} at the end", { amount: formatAmount(unit, expected) })}{" "}
          {expected > limit && <Badge kind="warning">{t("more than the budget")}</Badge>}
        </span>
      )}
      {current.resets_at && (
        <span class="small muted">{t("Resets {time}", { time: formatDateTime(current.resets_at) })}</span>
      )}
      {current.unpriced.length > 0 && (
        <span class="small">
          {t("Not counted, because these models have no price: {models}", {
            models: current.unpriced.map(({ model }) => model).join(", "),
          })}
        </span>
      )}
    </>
  );
}

function NewBudgetDialog({ onClose }: { readonly onClose: () => void }) {
  const { subjects, idOf } = useBudgetSubjects();
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <FormDialog
      title={t("New budget")}
      action={t("Create")}
      schema={bodySchema("/v1/budgets", "post")}
      value={{ scope: { type: "tenant" }, window: "month" }}
      fields={(get) => {
        const type = get("scope.type") as ScopeType;
        return [
          { name: "name", label: t("Name") },
          { name: "scope.type", label: t("For"), options: scopeTexts(), onChange: () => ({ "scope.id": "" }) },
          type !== "tenant" && {
            name: "scope.id",
            label: t("Only for"),
            hint: t("A name or id. Leave it empty to give each of them the whole limit."),
            people: subjects[type],
            parse: (draft) => idOf(type, String(draft)),
          },
          { name: "unit", label: t("Measure"), options: unitTexts() },
          { name: "limit", label: t("Limit") },
          {
            name: "window",
            label: t("Period"),
            hint: t("Time zone: {zone}", { zone: time_zone }),
            options: windowTexts(),
          },
        ];
      }}
      resource="budgets"
      onSave={(body) => api.POST("/v1/budgets", { body: { ...body, time_zone } })}
      onClose={onClose}
    />
  );
}

function BudgetDialog({ budget, onClose }: { readonly budget: Budget; readonly onClose: () => void }) {
  return (
    <FormDialog
      title={budget.name}
      schema={bodySchema("/v1/budgets", "post")}
      value={budget}
      fields={[
        { name: "name", label: t("Name") },
        { name: "limit", label: t("Limit") },
      ]}
      resource="budgets"
      entity={{ path: "/v1/budgets", id: budget.id }}
      deletion={{ text: t("Answers are no longer limited by it.") }}
      onClose={onClose}
    />
  );
}
