import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { categoryTexts } from "../lib/codes/finding-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePeople } from "../lib/people/people.ts";
import { describeError, showToast } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CheckField } from "../ui/fields.tsx";
import { Form, FormError } from "../ui/form.tsx";
import { type CustomControl, type FormEntry, type PathOf, useFields } from "../ui/form-fields.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { ResourceStatus } from "../ui/status.tsx";
import { GuardrailRules } from "./guardrail-rules.tsx";
import { ModelChoicesEditor } from "./model-choices.tsx";

type Policy = ReplyOf<"/v1/policy", "get">;
type Approvals = Policy["approvals"];
type Choices = Policy["models"]["choices"];
type Actions = Policy["guardrails"]["actions"];
type Category = keyof Actions;
type Place = keyof Actions[Category];
type Action = Actions[Category][Place];

const approvalTexts = (): Record<Exclude<keyof Approvals, "risk_level">, string> => ({
  share_link: t("Public links"),
  export: t("Exports"),
  tool_execution: t("Tools that change something"),
  data_access: t("Access of administrators to conversations"),
});

const placeTexts = (): Readonly<Record<string, string>> => ({
  question: t("Question"),
  program: t("API client"),
  retrieved: t("Source"),
  alert: t("Alert"),
  tool_result: t("Tool result"),
  answer: t("Answer"),
  code: t("Code in answers"),
  tool_call: t("Arguments of tools"),
});

/** True for a cell without a choice: code and arguments are only searched for data that has a format. */
const isWithoutChoice = (category: Category, place: Place): boolean =>
  (place === "code" || place === "tool_call") && category !== "secrets" && category !== "personal_data";

const actionTexts = (): readonly (readonly [Action, string])[] => [
  ["off", t("ignore")],
  ["flag", t("report")],
  ["redact", t("remove")],
  ["block", t("block")],
];

const levelTexts = (): Readonly<Record<string, string>> => ({
  public: t("public"),
  internal: t("internal"),
  confidential: t("confidential"),
  restricted: t("restricted"),
});

/** Returns a sentence for an error of the policy, which administrators can change at the same time. */
const describePolicyError = (error: unknown) =>
  isProblem(error, "precondition_failed")
    ? t("Another administrator has changed the policy. Reload the page to see the change.")
    : describeError(error);

export function PolicyView() {
  const policy = useResource("policy", async () => {
    const response = await api.fetch("/v1/policy");
    return { etag: response.headers.get("etag") ?? "", policy: (await response.json()) as Policy };
  });
  return (
    <PageLayout title={t("Policy")} intro={t("Rules for everyone in the organization. They take effect immediately.")}>
      <ResourceStatus resource={policy} lines={8} />
      {policy.value && <PolicyForm key={policy.value.etag} {...policy.value} />}
    </PageLayout>
  );
}

/** Menus for what happens when a check finds something, by kind and place. */
function ActionMatrix({
  actions,
  onActions,
}: {
  readonly actions: Actions;
  readonly onActions: (actions: Actions) => void;
}) {
  const categories = Object.keys(actions) as Category[];
  const places = Object.keys(actions[categories[0] as Category]) as Place[];
  const [nameOf, nameOfPlace] = [categoryTexts(), placeTexts()];
  const set = (category: Category, place: Place, action: Action) =>
    onActions({ ...actions, [category]: { ...actions[category], [place]: action } });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div class="table-wrap" tabIndex={0} role="region" aria-label={t("Guardrails")}>
      <table class="data matrix">
        <thead>
          <tr>
            <th scope="col">{t("Finding")}</th>
            {places.map((place) => (
              <th key={place} scope="col">
                {nameOfPlace[place] ?? place}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {categories.map((category) => (
            <tr key={category}>
              <th scope="row">{nameOf[category] ?? category}</th>
              {places.map((place) => (
                <td key={place}>
                  {isWithoutChoice(category, place) ? (
                    "–"
                  ) : (
                    <select
                      class="input compact"
                      aria-label={`${nameOf[category] ?? category}, ${nameOfPlace[place] ?? place}`}
                      value={actions[category][place]}
                      onChange={(event) => set(category, place, event.currentTarget.value as Action)}
                    >
                      {actionTexts().map(([action, text]) => (
                        <option key={action} value={action}>
                          {text}
                        </option>
                      ))}
                    </select>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type PolicyBody = BodyOf<"/v1/policy", "put">;

const guardrailFields = (policy: Policy): FormEntry<PathOf<PolicyBody>> => ({
  group: "card section",
  heading: t("Guardrails"),
  text: t("What happens when a check finds something, by kind and place."),
  entries: [
    {
      name: "guardrails.actions",
      label: t("Guardrails"),
      render: ({ value, onValue }) => <ActionMatrix actions={value as Actions} onActions={onValue} />,
    },
    {
      name: "guardrails.disabled_rules",
      label: t("Rules"),
      render: ({ value, onValue }) => (
        <GuardrailRules
          disabled={value as string[]}
          categories={Object.keys(policy.guardrails.actions)}
          onChange={onValue}
        />
      ),
    },
    {
      name: "guardrails.redact_contact_details",
      label: t("Also remove contact details"),
      hint: t("such as e-mail addresses and phone numbers"),
    },
    {
      name: "guardrails.on_provider_failure",
      label: t("If the provider of a check fails"),
      options: [
        ["", t("as the deployment is configured")],
        ["allow", t("continue without its findings")],
        ["block", t("refuse the request")],
      ],
    },
    {
      name: "guardrails.link_removal",
      label: t("Links and images of unknown hosts are removed"),
      options: { after_untrusted_text: t("once the model has read text of others"), always: t("always") },
    },
    {
      name: "guardrails.allowed_link_hosts",
      label: t("Hosts that answers may link to (one per line)"),
      hint: t(
        "Links to other hosts are removed if they could carry data away, unless a participant wrote an address there.",
      ),
      rows: 2,
      placeholder: "wiki.example.com",
    },
  ],
});

const policyFields = (policy: Policy): readonly FormEntry<PathOf<PolicyBody>>[] => [
  {
    group: "card section",
    heading: t("Banner"),
    entries: [
      [
        { name: "banner.text", label: t("Text above all views (empty: none)") },
        {
          name: "banner.level",
          label: t("Level"),
          options: { info: t("information"), warning: t("warning"), critical: t("critical") },
        },
      ],
    ],
  },
  {
    group: "card section",
    heading: t("Retention and exports"),
    entries: [
      [
        { name: "retention.conversation_days", label: t("Days until conversations are deleted (empty: never)") },
        {
          name: "classification.default",
          label: t("Default classification"),
          options: policy.classification.levels.map((level) => [level, levelTexts()[level] ?? level] as const),
        },
      ],
      {
        group: "checks",
        entries: [
          { name: "export.allowed", label: t("Users can export conversations") },
          { name: "memory.enabled", label: t("The assistant remembers facts about users") },
          {
            name: "follow_ups.enabled",
            label: t("Answers suggest further questions"),
            hint: t("One more call of the fastest model for each answer."),
          },
          { name: "sharing.keep_links_of_deactivated_users", label: t("Public links of deactivated people stay open") },
        ],
      },
    ],
  },
  {
    name: "models.choices",
    label: t("Language models"),
    render: ({ value, onValue }) => <ModelChoicesEditor choices={value as Choices} onChoices={onValue} />,
  },
  {
    group: "card section",
    heading: t("Approvals"),
    text: t("These actions wait until another user has approved them."),
    entries: [
      {
        group: "checks",
        entries: (Object.entries(approvalTexts()) as [keyof ReturnType<typeof approvalTexts>, string][]).map(
          ([name, label]) => ({
            name: `approvals.${name}` as const,
            label,
            render: ({ value, onValue }: CustomControl) => (
              <CheckField
                label={label}
                checked={value === "always"}
                onValue={(isOn) => onValue(isOn ? "always" : "never")}
              />
            ),
          }),
        ),
      },
    ],
  },
  guardrailFields(policy),
];

/** Returns an object with the changes of some values, also of its parts. */
const merge = (part: object, changes: object) =>
  Object.fromEntries(
    Object.entries({ ...part, ...changes }).map(([name, value]) => {
      const own = (part as Readonly<Record<string, unknown>>)[name];
      const areObjects = [own, value].every((each) => each && typeof each === "object" && !Array.isArray(each));
      return [name, areObjects ? { ...(own as object), ...(value as object) } : value];
    }),
  );

function PolicyForm({ policy, etag }: { readonly policy: Policy; readonly etag: string }) {
  const { nameOf } = usePeople();
  const canManage = can("policy.manage");
  const { view, read, reset, isChanged } = useFields({
    schema: bodySchema("/v1/policy", "put"),
    value: policy,
    fields: policyFields(policy),
  });
  const save = async () => {
    const changes = read();
    const body = { ...merge(policy, changes), banner: changes.banner?.text ? changes.banner : null } as PolicyBody;
    await api.PUT("/v1/policy", { params: { header: { "If-Match": etag } }, body });
    showToast(t("The policy was saved."));
    invalidate("policy");
    invalidate("models");
  };
  return (
    <Form isUnchecked onSubmit={save}>
      {!canManage && <p class="notice">{t("You can read the policy. Administrators change it.")}</p>}
      <fieldset class="stack" disabled={!canManage}>
        {view}
      </fieldset>
      <FormError describe={describePolicyError} />
      {policy.updated_at && (
        <p class="muted small">
          {t("Version {number}, changed {date} by {user}", {
            number: policy.version,
            date: formatDateTime(policy.updated_at),
            user: policy.updated_by ? nameOf(policy.updated_by) : "–",
          })}
        </p>
      )}
      {canManage && isChanged && (
        <div class="save-bar">
          <span class="grow small">{t("There are changes that are not saved.")}</span>
          <Button onClick={reset}>{t("Discard")}</Button>
          <Button kind="primary" type="submit">
            {t("Save")}
          </Button>
        </div>
      )}
    </Form>
  );
}
