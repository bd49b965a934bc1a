import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { isProblem } from "../../../../shared/client/index.ts";
import { t } from "../lib/i18n.ts";
import { describeFieldError } from "../lib/toast.ts";

/** Values that the service refused, and the names of the fields that show them. */
export interface Refusal {
  readonly failure: unknown;
  readonly fields: ReadonlyMap<string, string>;
}

interface FormState {
  readonly refusal: Refusal | null;
  /** True while the values are being sent. */
  readonly isPending: boolean;
  readonly names: Set<string>;
}

/** State of the closest form. */
export const FormContext = createContext<FormState | null>(null);

/** Returns true if a path refers to the field with this name or to a part of its value. */
export const isWithin = (path: string, name: string) => path === name || path.startsWith(`${name}.`);

/** Returns the messages of refused values by path. The path of a list's entry has its position, such as `tags.2`. */
export function refusedFields(failure: unknown): ReadonlyMap<string, string> {
  const errors = (isProblem(failure) && failure.problem.errors) || [];
  return new Map(errors.filter(({ path }) => path !== "").map(({ path, message }) => [path, message]));
}

/** Returns the error of the field with this name in the closest form; null if there is none. */
export function useFieldError(name: string | undefined): string | null {
  const form = useContext(FormContext);
  useEffect(() => {
    if (form === null || name === undefined) return;
    form.names.add(name);
    return () => void form.names.delete(name);
  }, [form, name]);
  if (form?.refusal == null || name === undefined) return null;
  for (const [path, message] of form.refusal.fields) {
    if (!isWithin(path, name)) continue;
    const position = /^\.(\d+)/.exec(path.slice(name.length))?.[1];
    const text = describeFieldError(message);
    return position === undefined ? text : t("Entry {number}: {error}", { number: Number(position) + 1, error: text });
  }
  return null;
}
