import type { AdministeredTenant } from "../../../../shared/api/tenancy/tenants.ts";
import type { Switchboard } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { limitTexts } from "./tenant.ts";

type LimitName = keyof AdministeredTenant["limits"];

/** The form has one budget of those of a tenant. */
const dollarRule = {
  type: "number",
  isRequired: false,
  emptyValue: undefined,
  options: [],
  minimum: 0,
  maximum: null,
} as const;

/** Dialog that creates or changes a tenant. */
export function TenantDialog({
  api,
  tenant,
  onSaved,
  onClose,
}: {
  readonly api: Switchboard;
  /** Tenant to change; null for a new one. */
  readonly tenant: AdministeredTenant | null;
  readonly onSaved: (tenant: AdministeredTenant) => void;
  readonly onClose: () => void;
}) {
  const limits = Object.entries(limitTexts()) as [LimitName, string][];
  const isMonthly = ({ unit, window }: AdministeredTenant["budgets"][number]) => unit === "usd" && window === "month";
  const current = tenant?.budgets.find(isMonthly);
  const toBudgets = (dollars: number | undefined) => [
    ...(tenant?.budgets ?? []).filter((budget) => !isMonthly(budget)),
    ...(dollars
      ? [{ unit: "usd", window: "month", time_zone: current?.time_zone ?? "UTC", limit: dollars } as const]
      : []),
  ];
  return (
    <FormDialog
      title={tenant ? t("Change {name}", { name: tenant.name ?? tenant.id }) : t("New tenant")}
      action={tenant ? t("Save") : t("Create")}
      schema={bodySchema("/v1/admin/tenants", "post")}
      value={{ ...tenant, budgets: current?.limit }}
      fields={[
        !tenant && { name: "id", label: t("Id"), hint: t("The value of the tenant claim in the tokens of its users") },
        { name: "name", label: t("Name") },
        { name: "plan", label: t("Plan") },
        { name: "billing_id", label: t("Customer in the billing service") },
        {
          name: "budgets",
          label: t("US dollars a month"),
          hint: t("Answers are refused beyond it. Empty for no limit."),
          rule: dollarRule,
        },
        ...limits.map(([limit, label]) => ({ name: `limits.${limit}` as const, label })),
      ]}
      onSave={({ budgets: dollars, ...values }) => {
        const body = { ...values, budgets: toBudgets(dollars as number | undefined) };
        if (!tenant) return api.POST("/v1/admin/tenants", { body });
        const changed = Object.fromEntries(limits.map(([limit]) => [limit, values.limits?.[limit] ?? null]));
        const params = { path: { tenant_id: tenant.id } };
        const { id: _, ...patch } = body;
        return api.PATCH("/v1/admin/tenants/{tenant_id}", { params, body: { ...patch, limits: changed } });
      }}
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

/** Dialog that deletes a tenant when its id was typed. */
export function DeleteTenantDialog({
  api,
  tenant,
  onDeleted,
  onClose,
}: {
  readonly api: Switchboard;
  readonly tenant: AdministeredTenant;
  readonly onDeleted: (tenant: AdministeredTenant) => void;
  readonly onClose: () => void;
}) {
  const params = { path: { tenant_id: tenant.id } };
  return (
    <FormDialog
      title={t("Delete {name}?", { name: tenant.name ?? tenant.id })}
      action={t("Delete for good")}
      isDangerous
      canSave={(get) => get("$confirm") === tenant.id}
      fields={[{ name: "$confirm", label: t("Type {id} to confirm", { id: tenant.id }) }]}
      onSave={() => api.DELETE("/v1/admin/tenants/{tenant_id}", { params })}
      onSaved={(deleted) => {
        onDeleted(deleted);
        onClose();
      }}
      onClose={onClose}
    >
      <p>
        {t(
          "Everything of this tenant is deleted: people, conversations, knowledge, keys, audit trail and usage. It cannot be stopped or reverted, and the id is not used again.",
        )}
      </p>
    </FormDialog>
  );
}
