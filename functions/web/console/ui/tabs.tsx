/** Tabs that choose what is shown below them. */
export function Tabs<Value extends string>({
  label,
  value,
  onValue,
  options,
}: {
  /** Accessible name of the list. */
  readonly label: string;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
  readonly options: readonly (readonly [Value, label: string])[];
}) {
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" role="tab" aria-selected={option === value} onClick={() => onValue(option)}>
          {text}
        </button>
      ))}
    </div>
  );
}
