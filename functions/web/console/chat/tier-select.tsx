import type { Tier } from "../../../../shared/api/tiers.ts";
import { t } from "../lib/i18n.ts";
import { SelectField } from "../ui/fields.tsx";

/** Form field for a tier, with a short description of each. */
export function TierSelect({ value, onValue }: { readonly value: Tier; readonly onValue: (tier: Tier) => void }) {
  return (
    <SelectField
      label={t("Depth of the answer")}
      value={value}
      onValue={onValue}
      options={[
        ["QUICK", t("Quick: one model call")],
        ["THINKING", t("Thinking: searches the knowledge")],
        ["RESEARCH", t("Research: several searches")],
        ["THOUGHT_PARTNER", t("Thought partner: with tools")],
      ]}
    />
  );
}
