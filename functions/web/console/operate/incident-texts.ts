import { describeStep, severityTexts, stateTexts } from "../lib/codes/server-texts.ts";
import { t } from "../lib/i18n.ts";

export const verdictKinds = { confirmed: "success", probable: "accent", inconclusive: "" } as const;

export const verdictTexts = () => ({
  confirmed: t("Cause found"),
  probable: t("Probable cause"),
  inconclusive: t("No proof"),
});

/** Returns the title of an observation, with its kind and state translated. Tools name their own kind. */
export function describeObservation(title: string): string {
  const texts: Readonly<Record<string, string>> = {
    Alert: t("Alert"),
    "Other alert of the time": t("Other alert of the time"),
    "Earlier occurrence": t("Earlier occurrence"),
    "Earlier incident of the service": t("Earlier incident of the service"),
    Runbook: t("Runbook"),
  };
  const [, kind = "", state, rest = ""] = /^([\w ]+?)(?: \((open|acknowledged|resolved)\))?: (.*)$/s.exec(title) ?? [];
  const text = texts[kind];
  if (!text) return describeStep(title);
  return `${text}${state ? ` (${stateTexts()[state as "open"]})` : ""}: ${rest}`;
}

/** Returns the translated entry of the timeline of an investigation, as far as the service has written it. */
export function describeTimelineEntry(text: string): string {
  const alert = /^Alert (received|open|acknowledged|resolved): (low|medium|high|critical), (.*)$/s.exec(text);
  if (alert) {
    const [, state = "", severity = "low", title = ""] = alert;
    const states: Readonly<Record<string, string>> = {
      received: t("Alert received"),
      open: t("Alert opened"),
      acknowledged: t("Alert acknowledged"),
      resolved: t("Alert resolved"),
    };
    return `${states[state]}: ${severityTexts()[severity as "low"]}, ${title}`;
  }
  const texts: Readonly<Record<string, string>> = {
    "Investigation started": t("Investigation started"),
    "Incident resolved": t("Incident resolved"),
    "Investigation ended": t("Investigation ended"),
  };
  return texts[text] ?? describeObservation(text);
}
