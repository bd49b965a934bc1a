import type { Expectation } from "../../../../../shared/api/evaluations/expectations.ts";
import { t } from "../../lib/i18n.ts";
import { Button, IconButton } from "../../ui/buttons.tsx";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import type { CustomControl } from "../../ui/form-fields.tsx";
import { type ExpectationDraft, emptyExpectation, expectationTexts, type TextFieldName } from "./expectation-drafts.ts";

/** Properties that bind a text field to the draft of an expectation. */
interface TextFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** Inputs for what a model checks: the meaning of a text, or a rubric. */
function MeaningFields({
  draft,
  field,
  onChange,
}: {
  readonly draft: ExpectationDraft;
  readonly field: (key: TextFieldName) => TextFieldProps;
  readonly onChange: (changes: Partial<ExpectationDraft>) => void;
}) {
  if (draft.type === "similar") {
    return (
      <>
        <TextField label={t("Text")} hint={t("Needs a model for embeddings.")} {...field("text")} />
        <SelectField
          label={t("Similarity")}
          value={draft.min_similarity}
          options={[...new Set(["0.6", "0.7", "0.8", "0.9", draft.min_similarity])].map((similarity) => [
            similarity,
            t("At least {similarity}", { similarity }),
          ])}
          onValue={(min_similarity) => onChange({ min_similarity })}
        />
      </>
    );
  }
  return (
    <>
      <TextField
        label={t("Rubric")}
        hint={t("What a model checks, such as “Names the price and says that it includes tax.”")}
        rows={3}
        {...field("rubric")}
      />
      <SelectField
        label={t("Votes")}
        value={draft.votes}
        options={[
          ["1", t("One")],
          ["3", t("The majority of {count}", { count: 3 })],
          ["5", t("The majority of {count}", { count: 5 })],
        ]}
        onValue={(votes) => onChange({ votes })}
      />
    </>
  );
}

/** Inputs for what an expectation demands besides its type. */
function DetailFields({
  name,
  draft,
  onChange,
}: {
  readonly name: string;
  readonly draft: ExpectationDraft;
  readonly onChange: (changes: Partial<ExpectationDraft>) => void;
}) {
  const field = (key: TextFieldName) => ({
    name: `${name}.${key}`,
    value: draft[key],
    onValue: (value: string) => onChange({ [key]: value }),
  });
  const caseField = (
    <CheckField
      label={t("Ignore upper and lower case")}
      checked={draft.ignore_case}
      onValue={(ignore_case) => onChange({ ignore_case })}
    />
  );
  switch (draft.type) {
    case "contains":
    case "not_contains":
      return (
        <>
          <TextField label={t("Text")} {...field("text")} />
          {caseField}
        </>
      );
    case "regex":
      return (
        <>
          <TextField
            label={t("Regular expression")}
            hint={t("As in JavaScript, without look-around and back references.")}
            {...field("pattern")}
          />
          {caseField}
        </>
      );
    case "json_schema":
      return <TextField label={t("JSON schema")} rows={5} {...field("schema")} />;
    case "cites":
      return (
        <TextField
          label={t("Document")}
          hint={t("The address of its page in Knowledge, or its id. Empty for any source.")}
          {...field("document_id")}
        />
      );
    case "refuses":
      return null;
    case "tool_call":
      return (
        <>
          <TextField label={t("Tool")} {...field("tool")} />
          <TextField
            label={t("Arguments (JSON)")}
            hint={t("The call may have others as well.")}
            rows={3}
            {...field("arguments")}
          />
        </>
      );
    default:
      return <MeaningFields draft={draft} field={field} onChange={onChange} />;
  }
}

/** List of expectations, to which some can be added. */
export function ExpectationsField({ label, name, value, onValue }: CustomControl) {
  const drafts = (value ?? []) as readonly ExpectationDraft[];
  const types = Object.entries(expectationTexts()) as [Expectation["type"], string][];
  return (
    <fieldset class="section">
      <legend class="label">{label}</legend>
      <p class="muted small">{t("The score of an answer is the share of expectations that it fulfills.")}</p>
      {drafts.map((draft, index) => {
        const change = (changes: Partial<ExpectationDraft>) => onValue(drafts.with(index, { ...draft, ...changes }));
        return (
          <div
            key={index}
            class="card stack tight"
            role="group"
            aria-label={t("Expectation {number}", { number: index + 1 })}
          >
            <div class="row end">
              <div class="grow">
                <SelectField
                  label={t("The answer")}
                  name={`${name}.${index}.type`}
                  value={draft.type}
                  options={types}
                  onValue={(type) => change({ type })}
                />
              </div>
              <IconButton
                icon="trash"
                label={t("Remove expectation {number}", { number: index + 1 })}
                onClick={() => onValue(drafts.toSpliced(index, 1))}
              />
            </div>
            <DetailFields name={`${name}.${index}`} draft={draft} onChange={change} />
          </div>
        );
      })}
      <div>
        <Button isSmall icon="plus" onClick={() => onValue([...drafts, emptyExpectation])}>
          {t("Add an expectation")}
        </Button>
      </div>
    </fieldset>
  );
}
