import { useEffect, useId, useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { IconButton } from "./buttons.tsx";
import { Field } from "./fields.tsx";

/** Field that adds entries by their names, with suggestions, and lists those that were added. */
export function NamesField({
  label,
  name,
  hint,
  options,
  values,
  onValues,
}: {
  readonly label: string;
  readonly name?: string;
  readonly hint?: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly values: readonly string[];
  readonly onValues: (values: readonly string[]) => void;
}) {
  const list = useId();
  const [text, setText] = useState("");
  const [isUnknown, setUnknown] = useState(false);
  const left = options.filter(([value]) => !values.includes(value));
  const nameOf = (value: string) => options.find(([each]) => each === value)?.[1] ?? value;
  /** Adds the entry with exactly this name, or the only one whose name contains the text. */
  const add = (typed: string) => {
    const lower = typed.trim().toLowerCase();
    const matches = lower === "" ? [] : left.filter(([, option]) => option.toLowerCase().includes(lower));
    const match = matches.find(([, option]) => option.toLowerCase() === lower) ?? matches[0];
    const isClear = match && (matches.length === 1 || match[1].toLowerCase() === lower);
    setUnknown(lower !== "" && !isClear);
    if (!isClear) return;
    onValues([...values, match[0]]);
    setText("");
  };
  // A name that was confirmed before the entries were loaded.
  useEffect(() => {
    if (isUnknown) add(text);
  }, [options.length]);
  return (
    <div class="stack tight">
      <Field
        label={label}
        name={name}
        hint={hint}
        error={isUnknown ? t("No name matches, or several do. Choose one of the list.") : null}
      >
        {(control) => (
          <input
            class="input"
            dir="auto"
            {...control}
            list={list}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setUnknown(false);
              // A choice from the list replaces the whole text at once.
              if (event.inputType === undefined || event.inputType === "insertReplacementText") {
                add(event.currentTarget.value);
              }
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || text.trim() === "") return;
              event.preventDefault();
              add(text);
            }}
            // A name that was typed but not confirmed must not be lost when the form is sent.
            onBlur={() => add(text)}
          />
        )}
      </Field>
      <datalist id={list}>
        {left.map(([value, option]) => (
          <option key={value} value={option} />
        ))}
      </datalist>
      {values.length > 0 && (
        <ul class="chips">
          {values.map((value) => (
            <li key={value} class="badge">
              <span class="truncate">{nameOf(value)}</span>
              <IconButton
                icon="close"
                label={t("Remove {name}", { name: nameOf(value) })}
                onClick={() => onValues(values.filter((each) => each !== value))}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
