import { useState } from "preact/hooks";
import { isProblem, type ReplyOf } from "../../../../shared/client/index.ts";
import { categoryTexts } from "../lib/codes/finding-texts.ts";
import { invalidate, useResource } from "../lib/data.ts";
import { formatDateTime } from "../lib/format.ts";
import { t } from "../lib/i18n.ts";
import { usePeople } from "../lib/people/people.ts";
import { describeError, showToast } from "../lib/toast.ts";
import { api, can } from "../session/session.ts";
import { Button } from "../ui/buttons.tsx";
import { CheckField, SelectField, TextField } from "../ui/fields.tsx";
import { Form, FormError } from "../ui/form.tsx";
import { PageLayout } from "../ui/layout.tsx";
import { ResourceStatus } from "../ui/status.tsx";
import { GuardrailRules } from "./guardrail-rules.tsx";
import { ModelChoicesEditor } from "./model-choices.tsx";

type Policy = ReplyOf<"/v1/policy", "get">;
type Approvals = Policy["approvals"];
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
});

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
    <PageLayout
      title={t("Policy")}
      intro={t("Rules for everyone in the organization. They take effect immediately.")}
      back={{ path: "/console/govern", label: t("Govern"), isNarrowOnly: true }}
    >
      <ResourceStatus resource={policy} lines={8} />
      {policy.value && <PolicyForm key={policy.value.etag} {...policy.value} />}
    </PageLayout>
  );
}

function PolicyForm({ policy, etag }: { readonly policy: Policy; readonly etag: string }) {
  const [draft, setDraft] = useState(policy);
  const { nameOf } = usePeople();
  const canManage = can("policy.manage");
  const isChanged = JSON.stringify(draft) !== JSON.stringify(policy);
  const set = (changes: Partial<Policy>) => setDraft({ ...draft, ...changes });
  const setAction = (category: Category, place: Place, action: Action) =>
    set({
      guardrails: {
        ...draft.guardrails,
        actions: {
          ...draft.guardrails.actions,
          [category]: { ...draft.guardrails.actions[category], [place]: action },
        },
      },
    });
  const save = async () => {
    const allowed_link_hosts = draft.guardrails.allowed_link_hosts.map((host) => host.trim()).filter(Boolean);
    const body = { ...draft, guardrails: { ...draft.guardrails, allowed_link_hosts } };
    await api.PUT("/v1/policy", { params: { header: { "If-Match": etag } }, body });
    showToast(t("The policy was saved."));
    invalidate("policy");
    invalidate("models");
  };
  const approvals = approvalTexts();
  const categories = Object.keys(draft.guardrails.actions) as Category[];
  const places = Object.keys(draft.guardrails.actions[categories[0] as Category]) as Place[];
  return (
    <Form onSubmit={save}>
      {!canManage && <p class="notice">{t("You can read the policy. Administrators change it.")}</p>}
      <fieldset class="stack" disabled={!canManage}>
        <section class="card section">
          <h2>{t("Banner")}</h2>
          <div class="pair">
            <TextField
              label={t("Text above all views (empty: none)")}
              name="banner.text"
              value={draft.banner?.text ?? ""}
              maxLength={500}
              onValue={(text) => set({ banner: text ? { text, level: draft.banner?.level ?? "info" } : null })}
            />
            <SelectField
              label={t("Level")}
              value={draft.banner?.level ?? "info"}
              onValue={(level) => draft.banner && set({ banner: { ...draft.banner, level } })}
              options={[
                ["info", t("information")],
                ["warning", t("warning")],
                ["critical", t("critical")],
              ]}
            />
          </div>
        </section>
        <section class="card section">
          <h2>{t("Retention and exports")}</h2>
          <div class="pair">
            <TextField
              label={t("Days until conversations are deleted (empty: never)")}
              name="retention.conversation_days"
              type="number"
              value={String(draft.retention.conversation_days ?? "")}
              onValue={(text) => set({ retention: { conversation_days: text ? Number(text) : null } })}
            />
            <SelectField
              label={t("Default classification")}
              name="classification"
              value={draft.classification.default}
              onValue={(level) => set({ classification: { ...draft.classification, default: level } })}
              options={draft.classification.levels.map((level) => [level, levelTexts()[level] ?? level] as const)}
            />
          </div>
          <div class="checks">
            <CheckField
              label={t("Users can export conversations")}
              checked={draft.export.allowed}
              onValue={(allowed) => set({ export: { ...draft.export, allowed } })}
            />
            <CheckField
              label={t("The assistant remembers facts about users")}
              checked={draft.memory.enabled}
              onValue={(enabled) => set({ memory: { enabled } })}
            />
            <CheckField
              label={t("Answers suggest further questions")}
              hint={t("One more call of the fastest model for each answer.")}
              checked={draft.follow_ups.enabled}
              onValue={(enabled) => set({ follow_ups: { enabled } })}
            />
            <CheckField
              label={t("Public links of deactivated people stay open")}
              checked={draft.sharing.keep_links_of_deactivated_users}
              onValue={(isKept) => set({ sharing: { keep_links_of_deactivated_users: isKept } })}
            />
          </div>
        </section>
        <ModelChoicesEditor choices={draft.models.choices} onChoices={(choices) => set({ models: { choices } })} />
        <section class="card section">
          <h2>{t("Approvals")}</h2>
          <p class="muted small">{t("These actions wait until another user has approved them.")}</p>
          <div class="checks">
            {(Object.keys(approvals) as (keyof typeof approvals)[]).map((name) => (
              <CheckField
                key={name}
                label={approvals[name]}
                checked={draft.approvals[name] === "always"}
                onValue={(isOn) => set({ approvals: { ...draft.approvals, [name]: isOn ? "always" : "never" } })}
              />
            ))}
          </div>
        </section>
        <section class="card section">
          <h2>{t("Guardrails")}</h2>
          <p class="muted small">{t("What happens when a check finds something, by kind and place.")}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <div class="table-wrap" tabIndex={0} role="region" aria-label={t("Guardrails")}>
            <table class="data matrix">
              <thead>
                <tr>
                  <th scope="col">{t("Finding")}</th>
                  {places.map((place) => (
                    <th key={place} scope="col">
                      {placeTexts()[place] ?? place}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {categories.map((category) => (
                  <tr key={category}>
                    <th scope="row">{categoryTexts()[category] ?? category}</th>
                    {places.map((place) => (
                      <td key={place}>
                        <select
                          class="input compact"
                          aria-label={`${categoryTexts()[category] ?? category}, ${placeTexts()[place] ?? place}`}
                          value={draft.guardrails.actions[category][place]}
                          onChange={(event) => setAction(category, place, event.currentTarget.value as Action)}
                        >
                          {actionTexts().map(([action, text]) => (
                            <option key={action} value={action}>
                              {text}
                            </option>
                          ))}
                        </select>
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <GuardrailRules
            disabled={draft.guardrails.disabled_rules}
            categories={categories}
            onChange={(disabled_rules) => set({ guardrails: { ...draft.guardrails, disabled_rules } })}
          />
          <CheckField
            label={t("Also remove contact details")}
            hint={t("such as e-mail addresses and phone numbers")}
            checked={draft.guardrails.redact_contact_details}
            onValue={(isOn) => set({ guardrails: { ...draft.guardrails, redact_contact_details: isOn } })}
          />
          <SelectField
            label={t("If the provider of a check fails")}
            name="guardrails.on_provider_failure"
            value={draft.guardrails.on_provider_failure ?? ""}
            options={[
              ["", t("as the deployment is configured")],
              ["allow", t("continue without its findings")],
              ["block", t("refuse the request")],
            ]}
            onValue={(value) => set({ guardrails: { ...draft.guardrails, on_provider_failure: value || null } })}
          />
          <SelectField
            label={t("Links and images of unknown hosts are removed")}
            name="guardrails.link_removal"
            value={draft.guardrails.link_removal}
            options={[
              ["after_untrusted_text", t("once the model has read text of others")],
              ["always", t("always")],
            ]}
            onValue={(value) =>
              set({
                guardrails: {
                  ...draft.guardrails,
                  link_removal: value === "always" ? "always" : "after_untrusted_text",
                },
              })
            }
          />
          <TextField
            label={t("Hosts that answers may link to (one per line)")}
            hint={t(
              "Links to other hosts are removed if they could carry data away, unless a participant wrote an address there.",
            )}
            name="guardrails.allowed_link_hosts"
            rows={2}
            value={draft.guardrails.allowed_link_hosts.join("\n")}
            placeholder="wiki.example.com"
            onValue={(text) =>
              set({ guardrails: { ...draft.guardrails, allowed_link_hosts: text === "" ? [] : text.split("\n") } })
            }
          />
        </section>
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
          <Button onClick={() => setDraft(policy)}>{t("Discard")}</Button>
          <Button kind="primary" type="submit">
            {t("Save")}
          </Button>
        </div>
      )}
    </Form>
  );
}
