import { useState } from "preact/hooks";
import type { Persona, PersonaGate } from "../../../../../shared/api/personas/persona.ts";
import { invalidate, useResource } from "../../lib/data.ts";
import { formatCost, formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { upTo } from "../../lib/lists.ts";
import { api, can } from "../../session/session.ts";
import { Button } from "../../ui/buttons.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ChecksField } from "../../ui/form-fields.tsx";
import { testSetPath } from "../evaluations/test-paths.ts";

/** Length in characters after which the question of an item is cut off. */
const MAX_QUESTION_LENGTH = 100;

/** Check boxes for the items whose answers must fulfill all expectations. */
function RequiredItems({
  setId,
  label,
  values,
  onValues,
}: {
  readonly setId: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly onValues: (values: string[]) => void;
}) {
  const items = useResource(setId === "" ? null : `test-items:gate:${setId}`, () =>
    upTo(api.list("/v1/test-sets/{id}/items", { params: { path: { id: setId }, query: { limit: 100 } } })),
  );
  const options = (items.value ?? []).map(({ id, question }) => {
    const characters = [...question];
    const isLong = characters.length > MAX_QUESTION_LENGTH;
    return [id, isLong ? `${characters.slice(0, MAX_QUESTION_LENGTH).join("")}…` : question] as const;
  });
  if (options.length === 0) return null;
  return <ChecksField label={label} options={options} values={values} onValues={onValues} />;
}

/** Form for the thresholds that a version must reach. */
function GateDialog({ persona, onClose }: { readonly persona: Persona; readonly onClose: () => void }) {
  const { gate, id } = persona;
  const query = { persona_id: id, limit: 100 };
  const sets =
    useResource(`test-sets:of:${id}:all`, () => upTo(api.list("/v1/test-sets", { params: { query } }))).value ?? [];
  return (
    <FormDialog
      title={t("Gate of {name}", { name: persona.name })}
      schema={bodySchema("/v1/personas/{id}/gate", "put")}
      value={gate}
      fields={(get) => [
        {
          name: "set_id",
          label: t("Test set"),
          options: [["", t("Choose a test set")], ...sets.map((set) => [set.id, set.name] as const)],
          onChange: () => ({ required_item_ids: [] }),
        },
        [
          { name: "min_score", label: t("Lowest mean score, from 0 to 1") },
          { name: "max_cost_usd", label: t("Highest cost of an answer, USD") },
          { name: "max_latency_ms", label: t("Longest mean duration, ms") },
        ],
        {
          name: "required_item_ids",
          label: t("Items that no version may fail"),
          render: ({ label, value, onValue }) => (
            <RequiredItems
              setId={String(get("set_id") ?? "")}
              label={label}
              values={value as readonly string[]}
              onValues={onValue}
            />
          ),
        },
      ]}
      canSave={(get) => String(get("set_id") ?? "") !== ""}
      resource="persona"
      savedText={t("Saved.")}
      onSave={(body) => api.PUT("/v1/personas/{id}/gate", { params: { path: { id } }, body })}
      onClose={onClose}
    >
      <p class="muted">
        {t(
          "A version is published only if it reaches all of this in the test set, which is run with it first. Administrators can override the gate.",
        )}
      </p>
    </FormDialog>
  );
}

const thresholdTexts = ({ min_score, max_cost_usd, max_latency_ms, required_item_ids }: PersonaGate): string[] => [
  ...(min_score === null ? [] : [t("score of at least {score}", { score: formatNumber(min_score) })]),
  ...(max_cost_usd === null ? [] : [t("cost of at most {cost}", { cost: formatCost(max_cost_usd) })]),
  ...(max_latency_ms === null ? [] : [t("at most {time} ms", { time: formatNumber(max_latency_ms) })]),
  ...(required_item_ids.length === 0
    ? []
    : [t("required items: {count}", { count: formatNumber(required_item_ids.length) })]),
];

/** Thresholds that a version of a persona must reach before it is published. */
export function GateSection({ persona }: { readonly persona: Persona }) {
  const { gate, id } = persona;
  const [dialog, setDialog] = useState<"edit" | "delete" | null>(null);
  const close = () => setDialog(null);
  return (
    <div class="row between wrap">
      {gate ? (
        <p>
          <a href={testSetPath(gate.set_id)}>{t("Gate")}</a>: {thresholdTexts(gate).join(", ")}
        </p>
      ) : (
        <p class="muted">{t("Every version can be published without a test.")}</p>
      )}
      {(gate === null || can("rbac.manage")) && (
        <div class="row">
          <Button isSmall onClick={() => setDialog("edit")}>
            {gate ? t("Change the gate") : t("Set a gate")}
          </Button>
          {gate && (
            <Button isSmall onClick={() => setDialog("delete")}>
              {t("Delete the gate")}
            </Button>
          )}
        </div>
      )}
      {dialog === "edit" && <GateDialog persona={persona} onClose={close} />}
      {dialog === "delete" && (
        <ConfirmDialog
          title={t("Delete the gate?")}
          text={t("Every version can then be published without a test.")}
          action={t("Delete")}
          onClose={close}
          onConfirm={async () => {
            await api.DELETE("/v1/personas/{id}/gate", { params: { path: { id } } });
            invalidate("persona");
          }}
        />
      )}
    </div>
  );
}
