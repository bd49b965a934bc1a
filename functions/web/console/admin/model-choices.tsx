import type { ReplyOf } from "../../../../shared/client/index.ts";
import { useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { useModels, usePersonas } from "../lib/lists.ts";
import { api } from "../session/session.ts";
import { CheckField } from "../ui/fields.tsx";

type Choices = ReplyOf<"/v1/policy", "get">["models"]["choices"];
type Choice = NonNullable<Choices>[number];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Fields for the entries that a choice is restricted to; none means all. */
function Restriction(props: {
  readonly legend: string;
  readonly entries: readonly Named[];
  readonly ids: readonly string[];
  readonly onIds: (ids: string[]) => void;
}) {
  const { legend, entries, ids, onIds } = props;
  if (entries.length === 0) return null;
  return (
    <fieldset>
      <legend class="label">{legend}</legend>
      <div class="checks">
        {entries.map(({ id, name }) => (
          <CheckField
            key={id}
            label={name}
            checked={ids.includes(id)}
            onValue={(isOn) => onIds(isOn ? [...ids, id] : ids.filter((each) => each !== id))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Models that people may choose in chats, each for all or for some groups and personas. */
export function ModelChoicesEditor(props: {
  readonly choices: Choices;
  readonly onChoices: (choices: Choices) => void;
}) {
  const { choices, onChoices } = props;
  const models = useModels().value?.models ?? [];
  const groups = useResource("groups", () => api.GET("/v1/groups")).value?.groups ?? [];
  const personas = usePersonas().value?.personas ?? [];
  const toggle = (name: string, isOn: boolean) => {
    const others = (choices ?? []).filter(({ model }) => model !== name);
    onChoices(isOn ? [...others, { model: name, group_ids: [], persona_ids: [] }] : others);
  };
  const change = (choice: Choice, changes: Partial<Choice>) =>
    onChoices((choices ?? []).map((each) => (each === choice ? { ...choice, ...changes } : each)));
  return (
    <section class="card section">
      <h2>{t("Language models")}</h2>
      <div class="checks">
        <CheckField
          label={t("People may choose only some models in chats")}
          checked={choices !== null}
          onValue={(isOn) => onChoices(isOn ? [] : null)}
        />
        {choices !== null &&
          models.map(({ name }) => {
            const ofModel = choices.filter(({ model }) => model === name);
            const isRestricted = ofModel.some(
              ({ group_ids, persona_ids }) => group_ids.length + persona_ids.length > 0,
            );
            return (
              <div key={name}>
                <CheckField
                  label={name}
                  {...(isRestricted && { hint: t("For some groups or personas only.") })}
                  checked={ofModel.length > 0}
                  onValue={(isOn) => toggle(name, isOn)}
                />
                {ofModel.map((choice, position) => (
                  <details key={position} class="stack">
                    <summary>{t("Who may choose {model}", { model: name })}</summary>
                    <Restriction
                      legend={t("Only members of these groups")}
                      entries={groups}
                      ids={choice.group_ids}
                      onIds={(group_ids) => change(choice, { group_ids })}
                    />
                    <Restriction
                      legend={t("Only in chats with these personas")}
                      entries={personas}
                      ids={choice.persona_ids}
                      onIds={(persona_ids) => change(choice, { persona_ids })}
                    />
                  </details>
                ))}
              </div>
            );
          })}
      </div>
    </section>
  );
}
