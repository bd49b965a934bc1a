import { useState } from "preact/hooks";
import type { AdministeredTenant } from "../../../../shared/api/tenancy/tenants.ts";
import type { Switchboard } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { Button } from "../ui/buttons.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { EditDialog, Form, FormActions } from "../ui/form.tsx";
import { limitTexts } from "./tenant.ts";

type LimitName = keyof AdministeredTenant["limits"];

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
  const [id, setId] = useState(tenant?.id ?? "");
  const [name, setName] = useState(tenant?.name ?? "");
  const [plan, setPlan] = useState(tenant?.plan ?? "");
  const [billingId, setBillingId] = useState(tenant?.billing_id ?? "");
  const isMonthly = ({ unit, window }: AdministeredTenant["budgets"][number]) => unit === "usd" && window === "month";
  const [dollars, setDollars] = useState(String(tenant?.budgets.find(isMonthly)?.limit ?? ""));
  const [limits, setLimits] = useState<Partial<Record<LimitName, string>>>(
    Object.fromEntries(Object.entries(tenant?.limits ?? {}).map(([limit, value]) => [limit, String(value)])),
  );
  const names = Object.entries(limitTexts()) as [LimitName, string][];
  const save = async () => {
    const current = tenant?.budgets.find(isMonthly);
    const monthly = { unit: "usd", window: "month", time_zone: current?.time_zone ?? "UTC" } as const;
    const others = (tenant?.budgets ?? []).filter((budget) => !isMonthly(budget));
    const budgets = [...others, ...(dollars ? [{ ...monthly, limit: Number(dollars) }] : [])];
    const texts = { name: name || null, plan: plan || null, billing_id: billingId || null, budgets };
    if (tenant) {
      const changed = names.map(([limit]) => [limit, limits[limit] ? Number(limits[limit]) : null] as const);
      const body = { ...texts, limits: Object.fromEntries(changed) };
      const params = { path: { tenant_id: tenant.id } };
      onSaved(await api.PATCH("/v1/admin/tenants/{tenant_id}", { params, body }));
    } else {
      const given = names.flatMap(([limit]) => (limits[limit] ? [[limit, Number(limits[limit])] as const] : []));
      onSaved(await api.POST("/v1/admin/tenants", { body: { id, ...texts, limits: Object.fromEntries(given) } }));
    }
  };
  return (
    <Dialog title={tenant ? t("Change {name}", { name: tenant.name ?? tenant.id }) : t("New tenant")} onClose={onClose}>
      <Form onSubmit={save}>
        {!tenant && (
          <TextField
            label={t("Id")}
            name="id"
            hint={t("The value of the tenant claim in the tokens of its users")}
            value={id}
            onValue={setId}
            maxLength={128}
            required
            autoFocus
          />
        )}
        <TextField label={t("Name")} name="name" value={name} onValue={setName} maxLength={200} />
        <TextField label={t("Plan")} name="plan" value={plan} onValue={setPlan} maxLength={100} />
        <TextField
          label={t("Customer in the billing service")}
          name="billing_id"
          value={billingId}
          onValue={setBillingId}
          maxLength={200}
        />
        <TextField
          label={t("US dollars a month")}
          name="budgets"
          type="number"
          hint={t("Answers are refused beyond it. Empty for no limit.")}
          value={dollars}
          onValue={setDollars}
        />
        {names.map(([limit, label]) => (
          <TextField
            key={limit}
            label={label}
            name={`limits.${limit}`}
            type="number"
            value={limits[limit] ?? ""}
            onValue={(value) => setLimits({ ...limits, [limit]: value })}
          />
        ))}
        <FormActions>
          <Button onClick={onClose}>{t("Cancel")}</Button>
          <Button kind="primary" type="submit">
            {tenant ? t("Save") : t("Create")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
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
  const [typed, setTyped] = useState("");
  return (
    <EditDialog
      title={t("Delete {name}?", { name: tenant.name ?? tenant.id })}
      action={t("Delete for good")}
      canSave={typed === tenant.id}
      onSave={async () =>
        onDeleted(await api.DELETE("/v1/admin/tenants/{tenant_id}", { params: { path: { tenant_id: tenant.id } } }))
      }
      onClose={onClose}
    >
      <p>
        {t(
          "Everything of this tenant is deleted: people, conversations, knowledge, keys, audit trail and usage. It cannot be stopped or reverted, and the id is not used again.",
        )}
      </p>
      <TextField
        label={t("Type {id} to confirm", { id: tenant.id })}
        name="confirm"
        value={typed}
        onValue={setTyped}
        autoFocus
      />
    </EditDialog>
  );
}
