import { useState } from "preact/hooks";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { Badge, Button, Dialog, TextField } from "../../ui/controls.tsx";
import { Form, FormActions } from "../../ui/form.tsx";

interface TriedTool {
  readonly name: string;
  readonly title: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Returns arguments with an empty value for each property that the tool requires. */
function exampleInput({ input_schema }: TriedTool): string {
  const required = Array.isArray(input_schema.required) ? input_schema.required.map(String) : [];
  return JSON.stringify(Object.fromEntries(required.map((name) => [name, ""])), null, 2);
}

/** Dialog that calls a tool with arguments that the user writes. */
export function TryToolDialog({
  serverId,
  tool,
  onClose,
}: {
  readonly serverId: string;
  readonly tool: TriedTool;
  readonly onClose: () => void;
}) {
  const [input, setInput] = useState(() => exampleInput(tool));
  const [outcome, setOutcome] = useState<{ result: string; is_error: boolean; duration_ms: number } | null>(null);
  let parsed: Record<string, unknown> | null = null;
  try {
    parsed = JSON.parse(input);
  } catch {
    // The field tells it.
  }
  return (
    <Dialog title={t("Try {name}", { name: tool.title })} onClose={onClose} isWide>
      <p class="muted small">{t("The call is sent with your rights and takes effect.")}</p>
      <Form
        onSubmit={async () => {
          if (!parsed) return;
          const params = { path: { id: serverId } };
          setOutcome(
            await api.POST("/v1/tools/servers/{id}/call", { params, body: { tool: tool.name, input: parsed } }),
          );
        }}
      >
        <TextField
          label={t("Inputs")}
          name="input"
          rows={6}
          value={input}
          onValue={setInput}
          error={parsed ? null : t("This is not JSON.")}
        />
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
          <Button kind="primary" type="submit" disabled={!parsed}>
            {t("Call")}
          </Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
