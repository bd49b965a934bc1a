import type { Handover } from "../../../../../shared/api/embed/handovers.ts";
import { t } from "../../lib/i18n.ts";

type StatusBadge = readonly [kind: "warning" | "danger" | "accent" | "success" | "", text: string];

const statusBadges = (): Readonly<Record<Handover["status"], StatusBadge>> => ({
  waiting: ["warning", t("waiting")],
  missed: ["danger", t("missed")],
  claimed: ["accent", t("with a person")],
  returned: ["", t("with the assistant")],
  closed: ["success", t("closed")],
});

/** Returns color and words of the badge for a status. */
export const describeStatus = (status: Handover["status"]): StatusBadge => statusBadges()[status];

/** Returns why a person was asked for. */
export const describeReason = (reason: Handover["reason"]): string =>
  ({
    visitor: t("The visitor asked for a person."),
    assistant: t("The assistant asked for a person."),
    word: t("The message has a word of the widget's list."),
    unanswered: t("The assistant found no answer several times."),
  })[reason];
