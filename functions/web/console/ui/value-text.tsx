import type { ComponentChildren } from "preact";
import { t } from "../lib/i18n.ts";

/** Returns the words of a name in snake case, for a name that has no translation. */
export const toWords = (name: string): string => name.replaceAll("_", " ");

/** Value of a parameter in words: lists, and the names and values of objects, instead of JSON. */
export function ValueText({
  value,
  format = String,
}: {
  readonly value: unknown;
  /** Returns what is shown for a text or a number. */
  readonly format?: (value: string | number) => ComponentChildren;
}) {
  if (value === null || value === undefined || value === "") return <>–</>;
  if (typeof value === "boolean") return <>{value ? t("Yes") : t("No")}</>;
  if (typeof value === "string" || typeof value === "number") return <>{format(value)}</>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <>–</>;
  if (Array.isArray(value)) {
    return (
      <ul class="values">
        {entries.map(([index, each]) => (
          <li key={index}>
            <ValueText value={each} format={format} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl class="parameters">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{toWords(name)}</dt>
          <dd dir="auto">
            <ValueText value={each} format={format} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
