import type { InvestigationResult } from "../../api/investigations/investigations.ts";
import { truncate } from "../../lib/truncate.ts";

const verdicts = { confirmed: "Confirmed", probable: "Probable", inconclusive: "Inconclusive" } as const;

/**
 * Returns a text that the model or a user wrote as one line, shortened, with the characters of Markdown escaped, so that it
 * cannot format what is around it.
 */
const toPlain = (text: string, maxCharacters = 300) =>
  truncate(text.replace(/\s+/g, " ").trim(), maxCharacters).replace(
    // At the start, also markers of lists and of thematic breaks.
    /[\\`*_[\]<>|#~]|^[-+]|(?<=^\d{1,9})[.)](?= |$)/g,
    "\\$&",
  );

/** Returns a text as inline code, with backticks replaced by apostrophes. */
const toCode = (text: string) => `\`${text.replace(/\s+/g, " ").replaceAll("`", "'")}\``;

const list = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`### ${title}`, lines.map((line) => `- ${line}`).join("\n")];

export function renderResult(result: InvestigationResult): string {
  const { verdict, summary, hypotheses, discarded, timeline, next_steps, runbook } = result;
  const discardedCount = discarded.length === 1 ? "1 claim was" : `${discarded.length} claims were`;
  return [
    `**${verdicts[verdict]}.** ${toPlain(summary, 800)}`,
    ...list(
      "Hypotheses",
      hypotheses.map(({ claim, outcome, confidence, test, evidence }) => {
        const sources = evidence.map(({ observation, quote }) => `${observation}: ${toCode(truncate(quote, 160))}`);
        return `${toPlain(claim, 500)} (${outcome}, ${Math.round(confidence * 100)} %). Test: ${toPlain(test)} Evidence: ${sources.join("; ")}`;
      }),
    ),
    ...(discarded.length > 0 ? [`${discardedCount} discarded, because no observation supports them.`] : []),
    ...list(
      "Timeline",
      timeline.map(({ at, text, observation }) => `${at} ${toPlain(text)}${observation ? ` (${observation})` : ""}`),
    ),
    ...list(
      "Next steps",
      next_steps.map(({ text, command, observation }) => {
        const shown = command === null || text.includes(command) ? "" : ` ${toCode(command)}`;
        return `${toPlain(text, 500)}${shown}${observation ? ` (${observation})` : ""}`;
      }),
    ),
    ...(runbook ? [`Runbook: ${toPlain(runbook.title)}`] : ["No runbook matches this alert."]),
  ].join("\n\n");
}
