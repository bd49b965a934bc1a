import { t } from "../i18n.ts";

export const categoryTexts = (): Readonly<Record<string, string>> => ({
  injection: t("Prompt injection"),
  secrets: t("Secrets"),
  personal_data: t("Personal data"),
  violence: t("Violence"),
  self_harm: t("Self-harm"),
  sexual: t("Sexual content"),
  hate: t("Hate"),
  illegal: t("Illegal acts"),
});

const ruleTexts = (): Readonly<Record<string, string>> => ({
  "override-instructions": t("Order to ignore the instructions"),
  "override-instructions-other-languages": t("Order to ignore the instructions, in another language"),
  "reveal-instructions": t("Request for the hidden instructions"),
  "unrestricted-persona": t("Role without limits"),
  "refusal-suppression": t("Order not to refuse"),
  "amoral-character": t("Character without morals"),
  "chat-format": t("Imitated chat messages"),
  "addresses-assistant": t("Text that addresses the assistant"),
  exfiltrate: t("Attempt to send data away"),
  "hidden-message": t("Hidden message"),
  "worded-like-injection": t("Worded like an attack"),
  "self-harm-statement": t("Statement about self-harm"),
  "possible-self-harm": t("Possible statement about self-harm"),
  threat: t("Threat"),
  "weapon-request": t("Request for a weapon"),
  insult: t("Insult"),
  "sexual-minors": t("Sexual content about minors"),
  instructions: t("Instructions of the persona"),
  unsafe: t("Harmful content"),
});

/**
 * Names of kinds of sensitive data and links. Token formats of vendors are not listed, because their names are not
 * translated.
 */
const kindTexts = (): Readonly<Record<string, string>> => ({
  IBAN: "IBAN",
  "access code": t("access code"),
  "account number": t("account number"),
  "card number": t("card number"),
  credentials: t("credentials"),
  "date of birth": t("date of birth"),
  "e-mail address": t("e-mail address"),
  "health number": t("health number"),
  "identity number": t("identity number"),
  "insurance number": t("insurance number"),
  "license number": t("license number"),
  "network address": t("network address"),
  "passport number": t("passport number"),
  passphrase: t("passphrase"),
  password: t("password"),
  "phone number": t("phone number"),
  "postal address": t("postal address"),
  "private key": t("private key"),
  "recovery code": t("recovery code"),
  secret: t("secret"),
  session: t("session"),
  "social security number": t("social security number"),
  "tax number": t("tax number"),
  "seed phrase": t("seed phrase"),
  token: t("token"),
  "user and password": t("user and password"),
  "wallet address": t("wallet address"),
  "webhook address": t("webhook address"),
  "image removed": t("image removed"),
  "link removed": t("link removed"),
});

/** Returns the translated name of a finding of a guardrail check, which is a rule, a kind of sensitive data or a category. */
export const describeFinding = (name: string): string =>
  ruleTexts()[name] ?? kindTexts()[name] ?? categoryTexts()[name] ?? name.replace(/^topic:/, "");
