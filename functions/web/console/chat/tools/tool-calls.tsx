import { describeToolCall } from "../../lib/codes/server-texts.ts";
import { t } from "../../lib/i18n.ts";
import { can } from "../../session/session.ts";
import { Badge } from "../../ui/status.tsx";
import type { ToolCall } from "../run.ts";

const kinds = {
  running: "accent",
  done: "success",
  failed: "danger",
  unknown: "warning",
  declined: "warning",
} as const;

/** Cards of the calls of tool servers, each with input, result and duration. */
export function ToolCalls({ calls }: { readonly calls: readonly ToolCall[] }) {
  return (
    <>
      {calls.map(({ call_id, server_id, title, input, result, status, duration_ms }) => (
        <details key={call_id} class="tool-call">
          <summary>
            <strong class="grow truncate">{title}</strong>
            <Badge kind={kinds[status]}>{describeToolCall(status, duration_ms)}</Badge>
          </summary>
          <p class="muted small">{t("Inputs")}</p>
          <pre>{input}</pre>
          {result !== undefined && (
            <>
              <p class="muted small">{t("Result")}</p>
              <pre>{result}</pre>
            </>
          )}
          {can("tools.manage") && (
            <a class="small" href={`/console/assistants/tools/${server_id}`}>
              {t("Change the mode of the tool")}
            </a>
          )}
        </details>
      ))}
    </>
  );
}
