import { linkKinds } from "./links/link-formats.ts";
import { rules } from "./local/rules.ts";
import { personalDataFormats } from "./pii/personal-data-formats.ts";
import { secretFormats } from "./secrets/secret-formats.ts";
import { hintRules, SELF_HARM_RULE } from "./types.ts";

/**
 * Names that a policy can list in `disabled_rules`: rules of the local check, and kinds of sensitive data and of links.
 */
export const ruleNames: ReadonlySet<string> = new Set([
  ...rules.map(({ name }) => name),
  "hidden-message",
  SELF_HARM_RULE,
  ...hintRules,
  ...[...secretFormats, ...personalDataFormats].map(({ kind }) => kind),
  ...linkKinds,
]);
