import { useState } from "preact/hooks";
import { t } from "../../lib/i18n.ts";
import { readDrafts, toDrafts, toFields } from "../../lib/schema-fields.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form, FormActions } from "../../ui/form.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { Badge } from "../../ui/status.tsx";

interface TriedTool {
  readonly name: string;
  readonly title: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Dialog that calls a tool with arguments that the user enters. */
export function TryToolDialog({
  serverId,
  tool,
  onClose,
}: {
  readonly serverId: string;
  readonly tool: TriedTool;
  readonly onClose: () => void;
}) {
  const fields = toFields(tool.input_schema, {});
  const [drafts, setDrafts] = useState(() => toDrafts(fields, {}));
  const [outcome, setOutcome] = useState<{ result: string; is_error: boolean; duration_ms: number } | null>(null);
  return (
    <Dialog title={t("Try {name}", { name: tool.title })} onClose={onClose} isWide>
      <p class="muted small">{t("The call is sent with your rights and takes effect.")}</p>
      <Form
        onSubmit={async () => {
          const input = readDrafts(fields, drafts, "input");
          const params = { path: { id: serverId } };
          setOutcome(await api.POST("/v1/tools/servers/{id}/call", { params, body: { tool: tool.name, input } }));
        }}
      >
        <SchemaFields fields={fields} drafts={drafts} onDrafts={setDrafts} path="input" />
        {outcome && (
          <section class="definition stack tight" role="status">
            <div class="row">
              <Badge kind={outcome.is_error ? "danger" : "success"}>
                {outcome.is_error ? t("failed") : t("succeeded")}
              </Badge>
              <span class="muted small">{(outcome.duration_ms / 1_000).toFixed(1)} s</span>
            </div>
            <pre>{outcome.result}</pre>
          </section>
        )}
        <FormActions>
          <Button onClick={onClose}>{t("Close")}</Button>
          <Button kind="primary" type="submit">
            {t("Call")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
