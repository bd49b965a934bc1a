import { useEffect, useState } from "preact/hooks";
import type { AdministeredTenant } from "../../../../shared/api/tenancy/tenants.ts";
import type { ReplyOf, Switchboard } from "../../../../shared/client/index.ts";
import { formatCompact, formatCost, formatDate, formatDateTime, formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { Button } from "../ui/buttons.tsx";
import { CodeSnippet } from "../ui/code-snippet.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { Badge, Empty, FailureMessage, Skeleton } from "../ui/status.tsx";
import { limitTexts } from "./tenant.ts";
import { DeleteTenantDialog, TenantDialog } from "./tenant-dialogs.tsx";

type Usage = ReplyOf<"/v1/admin/usage", "get">["tenants"][number];

/** Number of tenants of a page: usage is listed for as many. */
const PAGE_SIZE = 25;

/** Tenants of the deployment with the usage of the last 30 days. */
export function Tenants({ api }: { readonly api: Switchboard }) {
  const [tenants, setTenants] = useState<readonly AdministeredTenant[] | null>(null);
  const [usage, setUsage] = useState<ReadonlyMap<string, Usage>>(new Map());
  const [next, setNext] = useState<{ readonly tenants: string | null; readonly usage: string | null } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [shown, setShown] = useState<AdministeredTenant | "new" | null>(null);
  const load = async (from: typeof next) => {
    setError(null);
    const pageFrom = (cursor: string | null | undefined) => ({ limit: PAGE_SIZE, ...(cursor && { cursor }) });
    try {
      const [page, amounts] = await Promise.all([
        api.GET("/v1/admin/tenants", { params: { query: pageFrom(from?.tenants) } }),
        from && from.usage === null
          ? { tenants: [], next_cursor: null }
          : api.GET("/v1/admin/usage", { params: { query: pageFrom(from?.usage) } }),
      ]);
      setTenants(from ? [...(tenants ?? []), ...page.tenants] : page.tenants);
      setUsage(new Map([...(from ? usage : []), ...amounts.tenants.map((each) => [each.tenant_id, each] as const)]));
      setNext({ tenants: page.next_cursor, usage: amounts.next_cursor });
    } catch (failure) {
      setError(failure);
    }
  };
  useEffect(() => void load(null), []);
  const replace = (changed: AdministeredTenant) => {
    setShown(changed);
    setTenants((tenants ?? []).map((each) => (each.id === changed.id ? changed : each)));
  };
  const create = (
    <Button kind="primary" icon="plus" onClick={() => setShown("new")}>
      {t("New tenant")}
    </Button>
  );
  return (
    <PageLayout title={t("Tenants")} intro={t("Usage is that of the last 30 days.")} actions={create}>
      {error !== null && <FailureMessage error={error} onRetry={() => load(next)} />}
      {tenants === null && error === null && <Skeleton />}
      {tenants?.length === 0 && (
        <Empty icon="people" title={t("No tenant yet")}>
          {t("A tenant appears when you create it, or with the first sign-in that names it.")}
        </Empty>
      )}
      <DataTable
        rows={tenants ?? []}
        keyOf={({ id }) => id}
        columns={[
          {
            label: t("Tenant"),
            cell: (tenant) => (
              <button type="button" class="link" onClick={() => setShown(tenant)}>
                {tenant.name ?? tenant.id}
              </button>
            ),
            title: ({ id }) => id,
          },
          { label: t("State"), cell: (tenant) => <TenantState tenant={tenant} /> },
          { label: t("Plan"), cell: ({ plan }) => plan ?? "–" },
          { label: t("Answers"), cell: ({ id }) => formatNumber(usage.get(id)?.requests ?? 0) },
          { label: t("Tokens"), cell: ({ id }) => formatCompact(usage.get(id)?.total_tokens ?? 0) },
          { label: t("Cost"), cell: ({ id }) => formatCost(usage.get(id)?.cost_usd ?? 0) },
          { label: t("Created"), cell: ({ created_at }) => formatDate(created_at) },
        ]}
      />
      {next?.tenants && <Button onClick={() => load(next)}>{t("Show more")}</Button>}
      {shown === "new" && (
        <TenantDialog
          api={api}
          tenant={null}
          onClose={() => setShown(null)}
          onSaved={(created) => {
            setTenants([created, ...(tenants ?? [])]);
            setShown(created);
          }}
        />
      )}
      {shown && shown !== "new" && (
        <DetailsDialog key={shown.id} api={api} tenant={shown} onClose={() => setShown(null)} onChange={replace} />
      )}
    </PageLayout>
  );
}

function TenantState({ tenant: { status, deletion } }: { readonly tenant: AdministeredTenant }) {
  if (status === "active") return <Badge kind="success">{t("active")}</Badge>;
  if (status === "suspended") return <Badge kind="warning">{t("suspended")}</Badge>;
  const count = Object.values(deletion?.deleted_items ?? {}).reduce((sum, items) => sum + items, 0);
  const counted = { count: formatNumber(count) };
  return (
    <Badge kind="danger">
      {status === "deleting" ? t("is deleted: {count} items so far", counted) : t("deleted: {count} items", counted)}
    </Badge>
  );
}

/** Details of a tenant, and what the operator can do with it. */
function DetailsDialog({
  api,
  tenant,
  onClose,
  onChange,
}: {
  readonly api: Switchboard;
  readonly tenant: AdministeredTenant;
  readonly onClose: () => void;
  readonly onChange: (tenant: AdministeredTenant) => void;
}) {
  const [step, setStep] = useState<"change" | "delete" | null>(null);
  const [link, setLink] = useState<string | null>(null);
  const params = { path: { tenant_id: tenant.id } };
  const act = (action: () => Promise<void>) => async () => action().catch(showError);
  const isSuspended = tenant.status === "suspended";
  const isDeleted = tenant.status === "deleting" || tenant.status === "deleted";
  if (step === "change") {
    const close = () => setStep(null);
    return (
      <TenantDialog
        api={api}
        tenant={tenant}
        onClose={close}
        onSaved={(changed) => {
          onChange(changed);
          close();
        }}
      />
    );
  }
  if (step === "delete") {
    return <DeleteTenantDialog api={api} tenant={tenant} onClose={() => setStep(null)} onDeleted={onChange} />;
  }
  return (
    <Dialog title={tenant.name ?? tenant.id} onClose={onClose} isWide>
      <div class="row wrap">
        <TenantState tenant={tenant} />
        <span class="small mono">{tenant.id}</span>
      </div>
      <DataTable
        rows={detailsOf(tenant)}
        keyOf={([label]) => label}
        columns={[
          { label: t("Field"), cell: ([label]) => label },
          { label: t("Value"), cell: ([, value]) => <span class="break">{value}</span> },
        ]}
      />
      {link && <CodeSnippet title={t("Copy this link now. It is shown only once, and works once.")} code={link} />}
      {!isDeleted && (
        <div class="actions">
          <Button kind="danger-outline" onClick={() => setStep("delete")}>
            {t("Delete")}
          </Button>
          <Button
            onClick={act(async () => {
              const body = { suspended: !isSuspended };
              onChange(await api.PATCH("/v1/admin/tenants/{tenant_id}", { params, body }));
              showToast(t("The change takes effect within 30 seconds."));
            })}
          >
            {isSuspended ? t("Resume") : t("Suspend")}
          </Button>
          <Button
            onClick={act(async () => {
              const invitation = await api.POST("/v1/admin/tenants/{tenant_id}/invitations", { params, body: {} });
              setLink(invitation.url);
            })}
          >
            {t("Invite an administrator")}
          </Button>
          <Button kind="primary" icon="edit" onClick={() => setStep("change")}>
            {t("Change")}
          </Button>
        </div>
      )}
    </Dialog>
  );
}

function detailsOf({ plan, billing_id, limits, budgets, suspended_at, deletion, created_at }: AdministeredTenant) {
  const texts = limitTexts();
  const entries: readonly (readonly [label: string, value: string | null | undefined])[] = [
    [t("Plan"), plan],
    [t("Customer in the billing service"), billing_id],
    ...(Object.keys(texts) as (keyof AdministeredTenant["limits"])[]).map(
      (name) => [texts[name], limits[name] === undefined ? null : formatNumber(limits[name])] as const,
    ),
    [t("Budgets"), budgets.map(({ unit, limit, window }) => `${formatNumber(limit)} ${unit} / ${window}`).join(", ")],
    [t("Created"), formatDateTime(created_at)],
    [t("Suspended since"), suspended_at && formatDateTime(suspended_at)],
    [t("Deletion requested"), deletion && formatDateTime(deletion.requested_at)],
    [t("Deletion completed"), deletion?.completed_at && formatDateTime(deletion.completed_at)],
    [t("Proof of the deletion"), deletion?.proof],
  ];
  return entries.flatMap(([label, value]) => (value ? [[label, value] as const] : []));
}
