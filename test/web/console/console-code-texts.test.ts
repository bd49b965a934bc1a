import { afterEach, describe, expect, it } from "vitest";
import { describePermission } from "../../../functions/web/console/admin/people/permission-texts.ts";
import { nameRole } from "../../../functions/web/console/admin/people/role-texts.ts";
import { describeScope } from "../../../functions/web/console/admin/scope-texts.ts";
import { nameProvider } from "../../../functions/web/console/lib/codes/alert-providers.ts";
import { describeFinding } from "../../../functions/web/console/lib/codes/finding-texts.ts";
import { nameMediaType } from "../../../functions/web/console/lib/codes/media-types.ts";
import { describeCode, loadCodeTexts } from "../../../functions/web/console/lib/codes/server-texts.ts";
import { language } from "../../../functions/web/console/lib/i18n.ts";
import german from "../../../functions/web/console/lib/texts/de.json" with { type: "json" };
import { builtInRoles, capabilities } from "../../../shared/api/capabilities.ts";
import { documentMediaTypes } from "../../../shared/api/knowledge/document-fields.ts";
import { extractionFailures } from "../../../shared/api/knowledge/extraction-failures.ts";
import { ACT_AS_SCOPE, openaiScopes, userScopes } from "../../../shared/api/scopes.ts";
import { AlertProvider } from "../../../shared/api/webhooks/webhooks.ts";
import { rules } from "../../../shared/guardrails/local/rules.ts";
import { personalDataFormats } from "../../../shared/guardrails/pii/personal-data-formats.ts";

afterEach(() => {
  language.value = "en";
});

/** Words of the console for the codes of the service. Those without words are shown as they are, or are in English. */
const descriptions: readonly (readonly [kind: string, codes: readonly string[], describe: (code: string) => string])[] =
  [
    ["scopes", [...userScopes, ...openaiScopes, ACT_AS_SCOPE], describeScope],
    ["permissions", Object.keys(capabilities), (name) => describePermission(name, name)],
    ["built-in roles", Object.keys(builtInRoles), nameRole],
    ["senders of alerts", AlertProvider.options, nameProvider],
    ["rules of the guardrail", rules.map(({ name }) => name), describeFinding],
    ["formats of documents", documentMediaTypes, nameMediaType],
    ["failures of documents", Object.keys(extractionFailures), (code) => describeCode({ code, message: code })],
  ];

describe("words of the console for codes", () => {
  it.each(descriptions)("codes of %s all have a German text in the console", async (_, codes, describeOne) => {
    await loadCodeTexts();
    language.value = "de";
    expect(codes.length).toBeGreaterThan(2);
    expect(codes.filter((code) => describeOne(code) === code)).toEqual([]);
  });

  it("kinds of personal data are translated in the console", () => {
    const kinds = [...new Set(personalDataFormats.map(({ kind }) => kind))];
    expect(kinds.filter((kind) => !(kind in german))).toEqual(["IBAN"]);
  });
});
