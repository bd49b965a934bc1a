import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { TestEstimate } from "../../../../../shared/api/evaluations/test-runs.ts";
import type { TestSet } from "../../../../../shared/api/evaluations/test-sets.ts";
import type { Persona } from "../../../../../shared/api/personas/persona.ts";
import { useResource } from "../../lib/data.ts";
import { formatCost, formatNumber } from "../../lib/format.ts";
import { t } from "../../lib/i18n.ts";
import { upTo, useModels } from "../../lib/lists.ts";
import type { Draft } from "../../lib/schema-fields.ts";
import { api } from "../../session/session.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import type { FormEntry } from "../../ui/form-fields.tsx";
import { testRunPath } from "./test-paths.ts";

/** Number of entries up to which a list has check boxes. Longer ones are searched. */
const MAX_CHECKED = 8;

const modes = () => ({ recorded: t("Recorded"), live: t("Live") });

/** Numbers of answers and tokens that a run is expected to have, and its cost. */
function Estimate({ estimate }: { readonly estimate: TestEstimate }) {
  const { items, results, input_tokens, output_tokens, cost_usd } = estimate;
  return (
    <div class="notice accent" role="status">
      <div class="stack tight">
        <strong>
          {cost_usd === null
            ? t("The cost is not known, because no model has a price.")
            : t("About {cost}", { cost: formatCost(cost_usd) })}
        </strong>
        <span class="small">
          {t("{results} answers to {items} items, with about {input} tokens of input and {output} of output.", {
            results: formatNumber(results),
            items: formatNumber(items),
            input: formatNumber(input_tokens),
            output: formatNumber(output_tokens),
          })}
        </span>
      </div>
    </div>
  );
}

/** Loads the numbers of the versions of a persona, newest first. */
const useVersionNumbers = ({ id, version }: Persona) =>
  useResource(`persona:${id}:version-numbers`, async () =>
    (await upTo(api.list("/v1/personas/{id}/versions", { params: { path: { id }, query: { limit: 100 } } }))).map(
      (each) => each.version,
    ),
  ).value ?? [version];

/** Returns the fields that apply to all columns of a run. */
const settingEntries = (models: readonly string[]): readonly FormEntry<(typeof fieldNames)[number]>[] => [
  [
    {
      name: "passages",
      label: t("Passages"),
      hint: t("Live searches the knowledge as it is now."),
      options: modes(),
    },
    {
      name: "tools",
      label: t("Tools"),
      hint: t("Live calls those that only read and need no consent. No tool is called that changes something."),
      options: modes(),
    },
  ],
  [
    {
      name: "max_cost_usd",
      label: t("Budget in US dollars"),
      hint: t("The run ends when it is used up. Empty for none."),
    },
    { name: "concurrency", label: t("Answers at the same time"), hint: t("1 to 8") },
  ],
  {
    name: "judge_model",
    label: t("Model that judges rubrics"),
    options: [
      ["", t("The one of the depth {name}", { name: t("Thinking") })],
      ...models.map((name) => [name, name] as const),
    ],
  },
];

const fieldNames = ["versions", "models", "passages", "tools", "concurrency", "max_cost_usd", "judge_model"] as const;

/** Form that starts a run of a test set. Its first button shows what the run is expected to cost, and the second starts it. */
export function RunDialog({
  set,
  persona,
  onClose,
}: {
  readonly set: TestSet;
  readonly persona: Persona;
  readonly onClose: () => void;
}) {
  const { route } = useLocation();
  const numbers = useVersionNumbers(persona);
  const models = useModels().value?.models.map(({ name }) => name) ?? [];
  const [estimated, setEstimated] = useState<{ readonly key: string; readonly estimate: TestEstimate } | null>(null);
  const keyOf = (get: (name: (typeof fieldNames)[number]) => Draft) => JSON.stringify(fieldNames.map(get));
  return (
    <FormDialog
      title={t("Run {name}", { name: set.name })}
      action={(get) => (estimated?.key === keyOf(get) ? t("Start the run") : t("Estimate the cost"))}
      isWide
      schema={bodySchema("/v1/test-runs", "post")}
      value={{ versions: [String(persona.version)], models: [""] }}
      fields={(get) => [
        {
          name: "versions",
          label: t("Versions, compared with the oldest of them"),
          options: numbers.map((number) => [String(number), t("Version {number}", { number })] as const),
          isSearched: numbers.length > MAX_CHECKED,
          parse: (draft) => (draft as string[]).map(Number).toSorted((one, other) => one - other),
        },
        {
          name: "models",
          label: t("Language models"),
          options: [["", t("The one of the version")], ...models.map((name) => [name, name] as const)],
          isSearched: models.length > MAX_CHECKED,
          parse: (draft) => (draft as string[]).map((name) => name || null),
        },
        ...settingEntries(models),
        estimated?.key === keyOf(get) && <Estimate key="estimate" estimate={estimated.estimate} />,
      ]}
      resource="test-runs:of"
      onSave={async (body, get) => {
        const key = keyOf(get);
        const reply = await api.POST("/v1/test-runs", {
          body: { ...body, set_id: set.id, dry_run: estimated?.key !== key },
        });
        if (!("id" in reply)) setEstimated({ key, estimate: reply.estimate });
        return reply;
      }}
      onSaved={(reply) => {
        if (!("id" in reply)) return;
        onClose();
        route(testRunPath(reply.id));
      }}
      onClose={onClose}
    />
  );
}
