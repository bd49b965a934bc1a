import { useState } from "preact/hooks";
import { freeArguments } from "../../../../../shared/api/tools/free-arguments.ts";
import type { ReplyOf } from "../../../../../shared/client/index.ts";
import { t } from "../../lib/i18n.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { schemaEntries } from "../../ui/schema-entries.ts";
import { Badge } from "../../ui/status.tsx";

type TriedServer = Pick<ReplyOf<"/v1/tools/servers/{id}", "get">, "id" | "bind" | "kind">;

interface TriedTool {
  readonly name: string;
  readonly title: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** Dialog that calls a tool with arguments that the user enters. */
export function TryToolDialog({
  server,
  tool,
  onClose,
}: {
  readonly server: TriedServer;
  readonly tool: TriedTool;
  readonly onClose: () => void;
}) {
  const [outcome, setOutcome] = useState<{ result: string; is_error: boolean; duration_ms: number } | null>(null);
  return (
    <FormDialog
      title={t("Try {name}", { name: tool.title })}
      isWide
      action={t("Call")}
      fields={[
        ...schemaEntries(freeArguments(tool.input_schema, server), {}, "input"),
        outcome && (
          <section class="definition stack tight" role="status">
            <div class="row">
              <Badge kind={outcome.is_error ? "danger" : "success"}>
                {outcome.is_error ? t("failed") : t("succeeded")}
              </Badge>
              <span class="muted small">{(outcome.duration_ms / 1_000).toFixed(1)} s</span>
            </div>
            <pre>{outcome.result}</pre>
          </section>
        ),
      ]}
      onSave={async ({ input = {} }: { input?: Record<string, unknown> }) => {
        const params = { path: { id: server.id } };
        setOutcome(await api.POST("/v1/tools/servers/{id}/call", { params, body: { tool: tool.name, input } }));
      }}
      onSaved={() => {}}
      onClose={onClose}
    >
      <p class="muted small">{t("The call is sent with your rights and takes effect.")}</p>
    </FormDialog>
  );
}
