import { useState } from "preact/hooks";
import type { Message } from "../../../../shared/api/conversations/messages.ts";
import { t } from "../lib/i18n.ts";
import { showError, showToast } from "../lib/toast.ts";
import { Icon } from "../ui/icons.tsx";
import { Findings, feedbackGiven, sendFeedback } from "./feedback.tsx";

type Check = NonNullable<Message["checks"]>[number];

const stageTexts = (): Record<Check["stage"], string> => ({
  input: t("The check of the question found something."),
  retrieval: t("The check of the sources found something."),
  output: t("The check of the answer found something."),
});

const actionTexts = (): Record<Check["action"], string> => ({
  allow: t("Nothing was changed."),
  redact: t("It was removed."),
  block: t("It was blocked."),
});

/** True if a guardrail check changed the question, the sources or the answer. */
export const hasChanged = ({ action }: Check): boolean => action !== "allow";

/** Guardrail checks of an answer, each with a button to report its finding as wrong. */
export function Checks({ message, checks }: { readonly message: Message; readonly checks: readonly Check[] }) {
  const [reported, setReported] = useState<readonly string[]>(feedbackGiven(message).wrong_rules ?? []);
  const report = async (names: readonly string[]) => {
    const wrong_rules = [...new Set([...reported, ...names])];
    await sendFeedback(message, { wrong_rules });
    setReported(wrong_rules);
    showToast(t("Thank you. Administrators see the report."));
  };
  return (
    <>
      {checks.map((check) => {
        const names = check.rules.length > 0 ? check.rules : check.categories;
        return (
          <p key={check.stage} class="muted small">
            <Icon name="shield" />{" "}
            <span>
              {stageTexts()[check.stage]} {actionTexts()[check.action]} (
              <Findings names={check.removed ?? names} />)
            </span>{" "}
            {names.every((name) => reported.includes(name)) ? (
              <span>{t("Reported as wrong")}</span>
            ) : (
              <button type="button" class="link" onClick={() => report(names).catch(showError)}>
                {t("This is wrong")}
              </button>
            )}
          </p>
        );
      })}
    </>
  );
}
