import { useSignal } from "@preact/signals";
import { Composer } from "../../chat/composer/composer.tsx";
import { t } from "../../lib/i18n.ts";
import { TrialMessages, usePersonaTrial } from "../persona-trial.tsx";

/** Asks two versions of a persona the same questions, and shows their answers side by side. */
export function AskBoth({
  personaId,
  name,
  versions,
}: {
  readonly personaId: string;
  readonly name: string;
  readonly versions: readonly [number, number];
}) {
  const question = useSignal("");
  const trials = [
    usePersonaTrial({ personaId, name, version: versions[0] }),
    usePersonaTrial({ personaId, name, version: versions[1] }),
  ];
  const ask = () => {
    const content = question.peek();
    question.value = "";
    for (const trial of trials) void trial.ask(content);
  };
  return (
    <section class="stack tight">
      <h3>{t("Ask both versions")}</h3>
      {trials.some(({ messages }) => messages.length > 0) && (
        <ul class="side-by-side">
          {trials.map(({ messages }, index) => (
            <li key={index} class="stack tight">
              <strong>{t("Version {number}", { number: versions[index] ?? "" })}</strong>
              <TrialMessages messages={messages} />
            </li>
          ))}
        </ul>
      )}
      <Composer draft={question} isRunning={trials.some(({ isBusy }) => isBusy)} onSend={ask} hasFocus={false} />
    </section>
  );
}
