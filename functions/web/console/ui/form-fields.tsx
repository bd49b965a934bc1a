import { type ComponentChildren, isValidElement, type VNode } from "preact";
import { useState } from "preact/hooks";
import type { PersonOption } from "../lib/people/find-person-id.ts";
import { PersonField } from "../lib/people/person-field.tsx";
import { type Draft, type FieldRule, readDrafts, toBodyRule, toDraft } from "../lib/schema-fields.ts";
import { CheckField, SelectField, TextField } from "./fields.tsx";
import { NamesField } from "./names-field.tsx";

/** Dotted paths of the values in a request body. */
export type PathOf<Body> = Body extends readonly unknown[]
  ? never
  : Body extends object
    ? {
        [Key in keyof Body & string]-?: Key | `${Key}.${PathOf<NonNullable<Body[Key]>>}`;
      }[keyof Body & string]
    : never;

type Options = readonly (readonly [value: string, label: string])[] | Readonly<Record<string, string | undefined>>;

/** Properties of a control that a view renders itself. */
export interface CustomControl {
  readonly label: string;
  readonly name: string;
  readonly value: Draft;
  readonly onValue: (value: Draft) => void;
}

/** Field of a form. Kind, limits, default and whether it is required are those of the request body's schema. */
export interface FormField<Name extends string = string> {
  /** Path of the value in the request body. A name that begins with `$` belongs to the form only. */
  readonly name: Name | `$${string}`;
  readonly label: string;
  readonly hint?: ComponentChildren;
  /** Values to choose from with their texts: one in a menu; for a list, several in check boxes. */
  readonly options?: Options;
  /** Returns the hint of an option in check boxes. */
  readonly describeOption?: (value: string) => string;
  /** True to choose from a list by typing names. */
  readonly isSearched?: boolean;
  /** Suggested names and ids; null until they are known. */
  readonly people?: readonly PersonOption[] | null;
  /** Number of lines of a text; an entry in each for a list, which otherwise has commas. */
  readonly rows?: number;
  readonly type?: "password" | "url" | "email" | "datetime-local" | "date";
  readonly placeholder?: string;
  /** Required although the contract does not say so, such as a part of an optional object. */
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** Sets what an input of the user changes in other fields. */
  readonly onChange?: (value: Draft) => Readonly<Record<string, Draft>>;
  /** Converts the input to the value, or to the text of a number. */
  readonly parse?: ((draft: Draft) => Draft) | undefined;
  readonly render?: (control: CustomControl) => ComponentChildren;
  /** Rule of a field whose schema is not that of the form. */
  readonly rule?: FieldRule;
  readonly keys?: readonly string[] | undefined;
}

/** Fields that belong together: on one line, as check boxes, or in a card with a heading. */
interface FormGroup<Name extends string> {
  readonly group: "pair" | "checks" | "card section";
  readonly heading?: string;
  readonly text?: string;
  readonly entries: readonly FormEntry<Name>[];
}

/** Field, fields that belong together (those of an array on one line), or text between fields. */
export type FormEntry<Name extends string = string> =
  | FormField<Name>
  | FormGroup<Name>
  | readonly FormField<Name>[]
  | VNode
  | false
  | null
  | undefined
  | "";

/** Fields of a form, which can depend on what was entered. */
export type FormEntries<Name extends string> =
  | readonly FormEntry<Name>[]
  | ((get: (name: Name | `$${string}`) => Draft, read: () => unknown) => readonly FormEntry<Name>[]);

/** Length of a text up to which the browser prevents more characters. Longer ones are checked when the form is sent. */
const MAX_PREVENTED_LENGTH = 20_000;

const textRule: FieldRule = {
  type: "text",
  isRequired: false,
  emptyValue: "",
  options: [],
  minimum: null,
  maximum: null,
};

const listOptions = (options: Options): readonly (readonly [string, string])[] =>
  Array.isArray(options) ? options : (Object.entries(options) as [string, string][]);

/** Check boxes for the entries of a list. */
export function ChecksField(props: {
  readonly label: string;
  readonly describeOption?: ((value: string) => string) | undefined;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly values: readonly string[];
  readonly isDisabled?: boolean | undefined;
  readonly onValues: (values: string[]) => void;
}) {
  const { label, describeOption, options, values, isDisabled = false, onValues } = props;
  return (
    <fieldset class="section">
      <legend class="label">{label}</legend>
      <div class="checks">
        {options.map(([value, text]) => (
          <CheckField
            key={value}
            label={text}
            {...(describeOption && { hint: describeOption(value) })}
            disabled={isDisabled}
            checked={values.includes(value)}
            onValue={(isOn) => onValues(isOn ? [...values, value] : values.filter((each) => each !== value))}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Control(props: {
  readonly field: FormField;
  readonly rule: FieldRule;
  readonly draft: Draft;
  readonly isFirst: boolean;
  readonly onDraft: (draft: Draft) => void;
}) {
  const { field, rule, draft, isFirst, onDraft } = props;
  const { label, name, hint, options, people, rows, type, placeholder, isDisabled = false, render } = field;
  const shared = { label, name, hint, disabled: isDisabled };
  const hintText = typeof hint === "string" ? hint : "";
  if (render) return <>{render({ label, name, value: draft, onValue: onDraft })}</>;
  if (rule.type === "boolean") {
    return <CheckField {...shared} hint={hintText} checked={draft === true} onValue={onDraft} />;
  }
  if (options && rule.type === "list") {
    const list = { label, options: listOptions(options), values: draft as string[], onValues: onDraft };
    if (field.isSearched) return <NamesField {...list} name={name} hint={hintText} />;
    return <ChecksField {...list} describeOption={field.describeOption} isDisabled={isDisabled} />;
  }
  const value = Array.isArray(draft) ? draft.join(rows === undefined ? ", " : "\n") : String(draft ?? "");
  if (options) return <SelectField {...shared} value={value} options={listOptions(options)} onValue={onDraft} />;
  const isRequired = rule.isRequired && rule.emptyValue === undefined;
  if (people !== undefined) {
    return (
      <PersonField {...shared} hint={hintText} people={people} value={value} onValue={onDraft} required={isRequired} />
    );
  }
  const isText = rule.type === "text" && rule.maximum !== null && rule.maximum <= MAX_PREVENTED_LENGTH;
  return (
    <TextField
      {...shared}
      value={value}
      onValue={onDraft}
      type={type ?? "text"}
      rows={rows}
      {...(placeholder && { placeholder })}
      inputMode={rule.type === "integer" ? "numeric" : rule.type === "number" ? "decimal" : undefined}
      {...(isText && { maxLength: rule.maximum ?? 0 })}
      required={isRequired}
      autoFocus={isFirst}
    />
  );
}

/** Returns the lines of a text that are not empty. */
const toLines = (draft: Draft) =>
  typeof draft === "string" ? draft.split("\n").flatMap((line) => line.trim() || []) : draft;

const valueAt = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((part, key) => (part as Record<string, unknown> | null | undefined)?.[key], value);

const isPair = (entry: object): entry is readonly FormField[] => Array.isArray(entry);

const isText = (entry: object): entry is VNode => isValidElement(entry);

/** Returns the fields of an entry. */
function fieldsOf(entry: FormEntry): readonly FormField[] {
  if (!entry || isText(entry)) return [];
  if (isPair(entry)) return entry;
  return "entries" in entry ? entry.entries.flatMap(fieldsOf) : [entry];
}

/**
 * Returns the inputs of a form as elements, and the request body that they describe.
 * @param value values that the form begins with; the schema's defaults apply to others
 */
export function useFields<Body>({
  schema,
  value,
  fields,
  hasFocus = false,
}: {
  readonly schema?: BodySchema<Body>;
  readonly value?: object | null | undefined;
  readonly fields: FormEntries<PathOf<Body>>;
  /** True if the first field gets the focus when the form appears. */
  readonly hasFocus?: boolean;
}) {
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const ruleOf = (name: string): FieldRule => (schema && !name.startsWith("$") ? toBodyRule(schema, name) : textRule);
  const stored = (name: string, rule: FieldRule, keys: readonly string[] = name.split(".")): Draft => {
    const own = valueAt(value, keys);
    // A menu without a value shows its first option.
    const first = rule.type === "choice" && rule.isRequired ? rule.options[0] : undefined;
    return toDraft(rule, own === undefined ? (rule.preset ?? first) : own);
  };
  const get = (name: string): Draft => (name in drafts ? drafts[name] : stored(name, ruleOf(name)));
  const entries = (typeof fields === "function" ? fields(get, () => read()) : fields) as readonly FormEntry[];
  const shown = entries.flatMap(fieldsOf);
  const bind = (field: FormField, inputs = drafts) => {
    const { name, keys, options, isRequired, isSearched, rows, parse } = field;
    const known = field.rule ?? ruleOf(name);
    const base = isSearched || field.render ? ({ ...known, type: isSearched ? "list" : "value" } as FieldRule) : known;
    const rule = isRequired ? { ...base, isRequired, emptyValue: undefined } : base;
    const draft = name in inputs ? inputs[name] : stored(name, rule, keys);
    const values = options && rule.type !== "list" ? listOptions(options).map(([option]) => option) : [];
    return {
      ...field,
      rule,
      parse: parse ?? (rule.type === "list" && rows !== undefined ? toLines : undefined),
      draft: values.length > 0 && !values.includes(String(draft)) ? values[0] : draft,
    };
  };
  const show = (entry: FormField) => {
    const { rule, draft, ...field } = bind(entry);
    return (
      <Control
        key={field.name}
        field={field}
        rule={rule}
        draft={draft}
        isFirst={hasFocus && field.name === shown[0]?.name}
        onDraft={(next) => setDrafts((current) => ({ ...current, [field.name]: next, ...field.onChange?.(next) }))}
      />
    );
  };
  const showEntry = (entry: FormEntry, index: number): ComponentChildren => {
    if (!entry || isText(entry)) return entry;
    if ("name" in entry) return show(entry);
    const pair: FormGroup<string> | null = isPair(entry) ? { group: "pair", entries: entry } : null;
    const { group, heading, text, entries: parts } = pair ?? (entry as FormGroup<string>);
    return (
      <div key={index} class={group}>
        {heading && <h2>{heading}</h2>}
        {text && <p class="muted small">{text}</p>}
        {parts.map(showEntry)}
      </div>
    );
  };
  const read = () => {
    const bound = shown.map((field) => bind(field));
    const draftOf = new Map(bound.map(({ name, draft }) => [name as string, draft]));
    const sent = bound.filter(({ name }) => !name.startsWith("$"));
    return readDrafts(sent, (name) => draftOf.get(name)) as Body;
  };
  return {
    get: get as (name: PathOf<Body> | `$${string}`) => Draft,
    isChanged: Object.entries(drafts).some(([name, draft]) => {
      const field = shown.find((each) => each.name === name);
      return JSON.stringify(draft) !== JSON.stringify(field ? bind(field, {}).draft : stored(name, ruleOf(name)));
    }),
    reset: () => setDrafts({}),
    /** Returns the request body. @throws ProblemError with the path of each invalid field */
    read,
    view: entries.map(showEntry),
  };
}
