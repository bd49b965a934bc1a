import { useState } from "preact/hooks";
import type { Question, QuestionAnswer, QuestionField } from "../../../../../shared/api/tools/questions.ts";
import { t } from "../../lib/i18n.ts";
import { showError, showToast } from "../../lib/toast.ts";
import { api } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { CheckField, SelectField, TextField } from "../../ui/fields.tsx";
import { Form, FormError } from "../../ui/form.tsx";
import { Icon } from "../../ui/icons.tsx";

/** Inputs of the user by field name. */
type Values = Readonly<Record<string, string | boolean | readonly string[]>>;

const initialValue = ({ type, default: value }: QuestionField) => {
  if (type === "boolean") return value === true;
  if (type === "choices") return Array.isArray(value) ? value : [];
  return value === undefined ? "" : String(value);
};

/** Returns the answer to a tool server's questions: the inputs that are not empty. */
function toContent(fields: readonly QuestionField[], values: Values): NonNullable<QuestionAnswer["content"]> {
  const entries = fields.flatMap(({ name, type }) => {
    const value = values[name];
    if (value === undefined || value === "") return [];
    if (Array.isArray(value)) return value.length > 0 ? [[name, [...value]]] : [];
    return [[name, type === "number" || type === "integer" ? Number(value) : value]];
  });
  return Object.fromEntries(entries);
}

const inputTypes = { email: "email", uri: "url", date: "date", "date-time": "text" } as const;

function AnswerField({
  field,
  name,
  value,
  onValue,
}: {
  readonly field: QuestionField;
  /** Name of the field in the request, under which the service reports an invalid value. */
  readonly name: string;
  readonly value: Values[string];
  readonly onValue: (value: Values[string]) => void;
}) {
  const { type, title, description, required, format, options = [] } = field;
  const label = required ? `${title} *` : title;
  const hint = description ?? undefined;
  if (type === "boolean") return <CheckField label={label} checked={value === true} onValue={onValue} />;
  if (type === "choices") {
    const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
    return (
      <fieldset class="section">
        <legend class="label">{label}</legend>
        <div class="checks">
          {options.map((option) => (
            <CheckField
              key={option.value}
              label={option.label}
              checked={chosen.includes(option.value)}
              onValue={(isOn) =>
                onValue([...chosen.filter((each) => each !== option.value), ...(isOn ? [option.value] : [])])
              }
            />
          ))}
        </div>
      </fieldset>
    );
  }
  if (type === "choice") {
    const list = [["", t("Not chosen")], ...options.map((option) => [option.value, option.label])] as const;
    return (
      <SelectField
        label={label}
        name={name}
        hint={hint}
        value={String(value)}
        options={list as never}
        onValue={onValue}
      />
    );
  }
  // A field for numbers refuses fractions.
  const inputType = type === "integer" ? "number" : format ? inputTypes[format] : "text";
  return (
    <TextField
      label={label}
      name={name}
      hint={hint}
      type={inputType}
      required={required}
      value={String(value)}
      onValue={onValue}
    />
  );
}

/** Questions of a tool server to the user: as forms, or as links to open. */
export function ToolQuestions({
  id,
  questions,
  onAnswered,
  onCancel,
}: {
  /** Id of the approval to which the answers belong. */
  readonly id: string;
  readonly questions: readonly Question[];
  readonly onAnswered: () => void;
  readonly onCancel: () => void;
}) {
  const [values, setValues] = useState<Readonly<Record<string, Values>>>(() =>
    Object.fromEntries(
      questions.map(({ key, fields }) => [
        key,
        Object.fromEntries(fields.map((field) => [field.name, initialValue(field)])),
      ]),
    ),
  );
  const send = async (action: "accept" | "decline") => {
    const toAnswer = ({ key, url, fields }: Question): QuestionAnswer =>
      action === "accept" && url === null ? { action, content: toContent(fields, values[key] ?? {}) } : { action };
    const answers = Object.fromEntries(questions.map((question) => [question.key, toAnswer(question)]));
    await api.POST("/v1/approvals/{id}/answer", { params: { path: { id } }, body: { answers } });
    onAnswered();
    showToast(t("Answered."));
  };
  const hasForm = questions.some(({ url }) => url === null);
  return (
    <div class="proposal approval">
      <Icon name="shield" />
      <div class="grow">
        <Form onSubmit={() => send("accept")}>
          {questions.map(({ key, server_name, message, url, fields }) => (
            <section key={key} class="stack tight">
              <strong>{t("{server} asks", { server: server_name ?? t("The assistant") })}</strong>
              <p>{message}</p>
              {url === null ? (
                <>
                  {server_name !== null && (
                    <p class="muted small">{t("Your answer goes to this server. Never enter passwords or keys.")}</p>
                  )}
                  {fields.map((field) => (
                    <AnswerField
                      key={field.name}
                      field={field}
                      name={`answers.${key}.content.${field.name}`}
                      value={values[key]?.[field.name] ?? ""}
                      onValue={(value) => setValues({ ...values, [key]: { ...values[key], [field.name]: value } })}
                    />
                  ))}
                </>
              ) : (
                <>
                  <p class="muted small">
                    {t("The server wants you to open a page of {host}. Continue when you have finished there.", {
                      host: new URL(url).host,
                    })}
                  </p>
                  <a class="button small" href={url} target="_blank" rel="noopener noreferrer">
                    {t("Open {host}", { host: new URL(url).host })}
                  </a>
                </>
              )}
            </section>
          ))}
          <FormError />
          <div class="row wrap">
            <Button isSmall kind="primary" type="submit">
              {hasForm ? t("Send answers") : t("I have finished there")}
            </Button>
            <Button isSmall onClick={() => send("decline").catch(showError)}>
              {t("Do not answer")}
            </Button>
            <Button isSmall onClick={onCancel}>
              {t("Cancel the call")}
            </Button>
          </div>
        </Form>
      </div>
    </div>
  );
}
