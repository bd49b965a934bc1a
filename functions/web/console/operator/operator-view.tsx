import { useState } from "preact/hooks";
import { createSwitchboard, type Switchboard } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { Button } from "../ui/buttons.tsx";
import { TextField } from "../ui/fields.tsx";
import { Form, FormActions } from "../ui/form.tsx";
import { Tenants } from "./tenants.tsx";

/**
 * Page of the operator of the deployment. It needs no sign-in but the deployment key, which stays in the memory of the page and is
 * asked for again after a reload.
 */
export function OperatorView() {
  const [operator, setOperator] = useState<Switchboard | null>(null);
  const [key, setKey] = useState("");
  if (operator) return <Tenants api={operator} />;
  return (
    <main class="sign-in">
      <div class="card">
        <img src="/favicon.svg" alt="" width="44" height="44" />
        <div>
          <h1>{t("Operator")}</h1>
          <p class="muted">{t("Tenants of this deployment, with their limits, usage and state.")}</p>
        </div>
        <Form
          onSubmit={async () => {
            const client = createSwitchboard({ token: async () => key.trim() });
            await client.GET("/v1/admin/tenants", { params: { query: { limit: 1 } } });
            setOperator(client);
          }}
        >
          <TextField
            label={t("Deployment key")}
            name="deployment_key"
            type="password"
            hint={t("It is kept until this page is closed or loaded again.")}
            value={key}
            onValue={setKey}
            required
            autoFocus
          />
          <FormActions>
            <Button kind="primary" type="submit">
              {t("Continue")}
            </Button>
          </FormActions>
        </Form>
      </div>
    </main>
  );
}
