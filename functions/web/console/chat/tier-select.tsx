import { type Tier, tiers } from "../../../../shared/api/tiers.ts";
import { t } from "../lib/i18n.ts";
import { SelectField } from "../ui/fields.tsx";

/** Names of the tiers, and what each does before it answers. */
export const tierTexts = (): Record<Tier, { readonly name: string; readonly hint: string }> => ({
  QUICK: { name: t("Quick"), hint: t("Answers at once, without a search.") },
  THINKING: { name: t("Thinking"), hint: t("Searches knowledge and memories once. Enough for most questions.") },
  RESEARCH: { name: t("Research"), hint: t("Plans several searches. Slower, for questions with several parts.") },
  THOUGHT_PARTNER: {
    name: t("Thought partner"),
    hint: t("Plans searches, and uses tools, such as writing notes."),
  },
});

/** Form field for a tier, which explains the chosen one. */
export function TierSelect({ value, onValue }: { readonly value: Tier; readonly onValue: (tier: Tier) => void }) {
  const texts = tierTexts();
  return (
    <SelectField
      label={t("Depth of the answer")}
      hint={texts[value].hint}
      value={value}
      onValue={onValue}
      options={tiers.map((tier) => [tier, texts[tier].name])}
    />
  );
}
