import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId } from "preact/hooks";
import { useFieldError } from "./form-state.ts";

/** Properties that connect a control to its label, hint and error. */
interface ControlProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: "true";
}

/** Label, hint and error of a form control. */
export function Field({
  label,
  name,
  hint,
  error: ownError,
  children,
}: {
  readonly label: string;
  /** Path of the value in the request, under which the service reports its error. */
  readonly name?: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly children: (props: ControlProps) => ComponentChildren;
}) {
  const id = useId();
  const error = useFieldError(name) ?? ownError;
  const note = error || hint ? `${id}-note` : undefined;
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({ id, ...(note && { "aria-describedby": note }), ...(error && { "aria-invalid": "true" as const }) })}
      {note && (
        <span class={error ? "error" : "hint"} id={note}>
          {error || hint}
        </span>
      )}
    </div>
  );
}

export function TextField({
  label,
  name,
  hint,
  error,
  value,
  onValue,
  rows,
  ...props
}: {
  readonly label: string;
  readonly name?: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** Number of lines; a field with one line if omitted. */
  readonly rows?: number | undefined;
  readonly type?: string;
  /** Keyboard that a phone shows. */
  readonly inputMode?: "numeric" | "decimal" | undefined;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Id of a list of suggestions. */
  readonly list?: string;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly onKeyDown?: (event: TargetedKeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => void;
}) {
  const onInput = (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onValue(event.currentTarget.value);
  return (
    <Field label={label} name={name} hint={hint} error={error ?? null}>
      {(control) =>
        rows === undefined ? (
          <input class="input" dir="auto" {...(props as object)} {...control} value={value} onInput={onInput} />
        ) : (
          <textarea
            class="input"
            dir="auto"
            rows={rows}
            {...(props as object)}
            {...control}
            value={value}
            onInput={onInput}
          />
        )
      }
    </Field>
  );
}

export function SelectField<Value extends string>({
  label,
  name,
  hint,
  value,
  options,
  onValue,
  disabled,
}: {
  readonly label: string;
  readonly name?: string;
  readonly hint?: ComponentChildren;
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly onValue: (value: Value) => void;
  readonly disabled?: boolean;
}) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(control) => (
        <select
          class="input"
          {...control}
          disabled={disabled}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value as Value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onValue,
  disabled,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly onValue: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <span>
        {label}
        {hint && <span class="muted"> {hint}</span>}
      </span>
    </label>
  );
}
