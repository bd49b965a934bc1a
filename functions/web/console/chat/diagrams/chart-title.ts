import { t } from "../../lib/i18n.ts";

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the title of a Vega-Lite chart. */
export function chartTitleOf({ title }: Record<string, unknown>): string {
  if (typeof title === "string") return title;
  return isObject(title) && typeof title.text === "string" ? title.text : t("Chart");
}
