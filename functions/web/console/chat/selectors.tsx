import { useEffect } from "preact/hooks";
import type { Tier } from "../../../../shared/api/tiers.ts";
import { t } from "../lib/i18n.ts";
import { useModels, usePersonas } from "../lib/lists.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { tierTexts } from "./tier-select.tsx";

export function TierMenu({ value, onValue }: { readonly value: Tier; readonly onValue: (tier: Tier) => void }) {
  const texts = tierTexts();
  return (
    <Menu
      label={t("Depth of the answer")}
      className="up start"
      trigger={
        <>
          <Icon name="bolt" />
          {texts[value].name}
        </>
      }
      entries={(Object.keys(texts) as Tier[]).map((tier) => ({
        label: texts[tier].name,
        hint: texts[tier].hint,
        isChecked: tier === value,
        onSelect: () => onValue(tier),
      }))}
    />
  );
}

/** Menu to choose the model of the next reply. Hidden if there is only one, or the user can choose none. */
export function ModelMenu({
  value,
  personaId,
  onValue,
}: {
  /** Name of the chosen model; null for the model of the persona or tier. */
  readonly value: string | null;
  /** Persona of the conversation. The policy can allow a model only with certain personas. */
  readonly personaId: string | null;
  readonly onValue: (model: string | null) => void;
}) {
  const models = useModels();
  const isChoosable = (personaIds: readonly string[] | null) =>
    personaIds === null || (personaId !== null && personaIds.includes(personaId));
  const all = models.value?.models ?? [];
  const usable = all.filter((model) => model.usable && isChoosable(model.choosable_with));
  // A model that was chosen before the persona or the policy changed is no choice any more.
  useEffect(() => {
    if (value !== null && all.length > 0 && !usable.some(({ name }) => name === value)) onValue(null);
  });
  // The only model of a deployment is no choice, but one that the policy leaves is.
  if (all.length < 2 || usable.length === 0) return null;
  return (
    <Menu
      label={t("Language model")}
      className="up start"
      trigger={
        <>
          <Icon name="blocks" />
          <span class={value ? "truncate persona-name" : "label"}>{value ?? t("Automatic")}</span>
        </>
      }
      entries={[
        { label: t("Automatic"), isChecked: value === null, onSelect: () => onValue(null) },
        ...usable.map(({ name }) => ({ label: name, isChecked: name === value, onSelect: () => onValue(name) })),
      ]}
    />
  );
}

export function PersonaMenu({
  value,
  onValue,
}: {
  readonly value: string | null;
  readonly onValue: (id: string | null) => void;
}) {
  const personas = usePersonas();
  const entries = personas.value?.personas ?? [];
  if (entries.length === 0 && value === null) return null;
  const current = entries.find(({ id }) => id === value);
  return (
    <Menu
      label={t("Persona")}
      className="up start"
      trigger={
        <>
          <Icon name="sparkle" />
          <span class={current ? "truncate persona-name" : "label"}>{current?.name ?? t("Assistant")}</span>
        </>
      }
      entries={[
        { label: t("Assistant"), isChecked: value === null, onSelect: () => onValue(null) },
        ...entries.map(({ id, name }) => ({ label: name, isChecked: id === value, onSelect: () => onValue(id) })),
      ]}
    />
  );
}
