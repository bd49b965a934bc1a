import * as v from "valibot";
import { describe } from "../fields.ts";

/** Kind of content that a guardrail looks for. */
export const guardrailCategories = [
  "injection",
  "secrets",
  "personal_data",
  "violence",
  "self_harm",
  "sexual",
  "hate",
  "illegal",
] as const;
export type GuardrailCategory = (typeof guardrailCategories)[number];

/**
 * Origin of a checked text: a user's question, an API client's messages, or content that the model reads or writes.
 * `code` are the fenced code blocks of answers, and `tool_call` the arguments that the model writes for tools of API
 * clients; both are only searched for secrets and personal data, and what blocks an answer blocks these too.
 */
export const guardrailPlaces = [
  "question",
  "program",
  "retrieved",
  "alert",
  "tool_result",
  "answer",
  "code",
  "tool_call",
] as const;
export type GuardrailPlace = (typeof guardrailPlaces)[number];

/** Treatment of a finding, least severe first. */
export const GuardrailAction = describe(
  v.picklist(["off", "flag", "redact", "block"]),
  "`off` ignores the finding, `flag` only reports it, `redact` removes the part of the text, `block` rejects the text.",
);
export type GuardrailAction = v.InferOutput<typeof GuardrailAction>;

type ActionsByPlace = Readonly<Record<GuardrailPlace, GuardrailAction>>;

const everywhere = (action: GuardrailAction): ActionsByPlace => ({
  question: action,
  program: action,
  retrieved: action,
  alert: action,
  tool_result: action,
  answer: action,
  code: action,
  tool_call: action,
});

/** Actions of a tenant that has not chosen any: nothing is blocked, and sensitive data is removed. Reasons: decision 0009. */
const defaultActions: Readonly<Record<GuardrailCategory, ActionsByPlace>> = {
  // Answers about security explain attacks, so injections in answers are not reported.
  injection: { ...everywhere("flag"), answer: "off" },
  illegal: { ...everywhere("flag"), answer: "off" },
  // Programs, such as coding agents, send code and files whose values must not change.
  secrets: { ...everywhere("redact"), program: "flag" },
  personal_data: {
    ...everywhere("redact"),
    // A user who may read a document often needs the numbers in it, so retrieved text and tool results are not redacted.
    retrieved: "flag",
    tool_result: "flag",
    // A number that is changed in a program or file breaks it silently.
    program: "flag",
    code: "flag",
    tool_call: "flag",
  },
  violence: everywhere("flag"),
  self_harm: everywhere("flag"),
  sexual: everywhere("flag"),
  hate: everywhere("flag"),
};

const actionsByPlace = (category: GuardrailCategory) =>
  v.optional(
    v.strictObject(
      Object.fromEntries(
        guardrailPlaces.map((place) => [place, v.optional(GuardrailAction, defaultActions[category][place])]),
      ) as Record<GuardrailPlace, v.OptionalSchema<typeof GuardrailAction, GuardrailAction>>,
    ),
    {},
  );

/** Actions by category and place of a persona or API key, in addition to those of the tenant's policy. */
export const StricterActions = describe(
  v.record(v.picklist(guardrailCategories), v.record(v.picklist(guardrailPlaces), GuardrailAction)),
  "Actions for guardrail findings by category and place. Where they are stricter than the tenant's policy, they apply; a policy cannot be relaxed.",
);
export type StricterActions = v.InferOutput<typeof StricterActions>;

/** Host name in lower case, such as `wiki.example.com`. */
const HostName = v.pipe(
  v.string(),
  v.maxLength(253),
  v.regex(
    /^([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/,
    "must be a host name in lower case, such as wiki.example.com",
  ),
);

/** Treatment of guardrail findings, by category and place. */
export const GuardrailPolicy = v.strictObject({
  actions: describe(
    v.optional(
      v.strictObject(
        Object.fromEntries(guardrailCategories.map((category) => [category, actionsByPlace(category)])) as Record<
          GuardrailCategory,
          ReturnType<typeof actionsByPlace>
        >,
      ),
      {},
    ),
    "The action by category and place. Omitted actions have their defaults.",
  ),
  redact_contact_details: describe(
    v.optional(v.boolean(), false),
    "True if `redact` also removes contact details, such as e-mail addresses and phone numbers. By default it only removes numbers of accounts and identity documents.",
  ),
  disabled_rules: describe(
    v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(100))), v.maxLength(100)), []),
    "The names of rules of the local check that are switched off, such as `insult`, and of formats of sensitive data, such as `AWS access key`. Returns 400 for an unknown name.",
  ),
  on_provider_failure: describe(
    v.optional(v.nullable(v.picklist(["allow", "block"])), null),
    "The treatment of texts if the provider of a model-based check fails: `allow` continues with the findings of the local check, `block` fails the request with 503. Null applies the setting of the deployment.",
  ),
  allowed_link_hosts: describe(
    v.optional(v.pipe(v.array(HostName), v.maxLength(100)), []),
    "Host names that answers may link to, and load images from, with their subdomains. Images of other hosts, and links that could carry data to them, are removed from an answer, unless a participant of the conversation has written an address of the host.",
  ),
  link_removal: describe(
    v.optional(v.picklist(["after_untrusted_text", "always"]), "after_untrusted_text"),
    "The answers from which links and images of unknown hosts are removed: those of models that have read text of others in the conversation, such as documents, notes, alerts and results of tools, or `always`.",
  ),
});
export type GuardrailPolicy = v.InferOutput<typeof GuardrailPolicy>;

/** Guardrail policy of a tenant that has not set one. */
export const defaultGuardrailPolicy: GuardrailPolicy = v.parse(GuardrailPolicy, {});
