import { useState } from "preact/hooks";
import { createSwitchboard, type Switchboard } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { FieldForm } from "../ui/form-dialog.tsx";
import { Tenants } from "./tenants.tsx";

/**
 * Page of the operator of the deployment. It needs no sign-in but the deployment key, which stays in the memory of the page and is
 * asked for again after a reload.
 */
export function OperatorView() {
  const [operator, setOperator] = useState<Switchboard | null>(null);
  if (operator) return <Tenants api={operator} />;
  return (
    <main class="sign-in">
      <div class="card">
        <img src="/favicon.svg" alt="" width="44" height="44" />
        <div>
          <h1>{t("Operator")}</h1>
          <p class="muted">{t("Tenants of this deployment, with their limits, usage and state.")}</p>
        </div>
        <FieldForm
          action={t("Continue")}
          savedText=""
          hasFocus
          fields={[
            {
              name: "$deployment_key",
              label: t("Deployment key"),
              type: "password",
              hint: t("It is kept until this page is closed or loaded again."),
              isRequired: true,
            },
          ]}
          onSave={async (_, get) => {
            const key = String(get("$deployment_key")).trim();
            const client = createSwitchboard({ token: async () => key });
            await client.GET("/v1/admin/tenants", { params: { query: { limit: 1 } } });
            setOperator(client);
          }}
        />
      </div>
    </main>
  );
}
