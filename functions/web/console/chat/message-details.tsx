import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { formatNumber } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { Checks, hasChanged } from "./checks.tsx";

/** Details of an answer on demand: its model, its tokens, and the guardrail checks that changed nothing. */
export function MessageDetails({ message }: { readonly message: Message }) {
  const { model, usage, persona_version, checks = [] } = message;
  const silent = checks.filter((check) => !hasChanged(check));
  return (
    <section class="message-details stack tight" aria-label={t("Details")}>
      <p>
        {t("Model: {model}", { model: model ?? usage?.model ?? "–" })}
        {usage &&
          ` · ${t("{input} tokens read, {output} tokens written", {
            input: formatNumber(usage.input_tokens),
            output: formatNumber(usage.output_tokens),
          })}`}
        {persona_version !== undefined && ` · ${t("Version {number} of the persona", { number: persona_version })}`}
      </p>
      {silent.length > 0 && <Checks message={message} checks={silent} />}
    </section>
  );
}
