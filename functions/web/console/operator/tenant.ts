import type { AdministeredTenant } from "../../../../shared/api/tenancy/tenants.ts";
import { t } from "../lib/i18n.ts";

/** Labels of the limits of a tenant. Texts are looked up when they are shown, in the language of the user. */
export const limitTexts = (): Record<keyof AdministeredTenant["limits"], string> => ({
  requests_per_minute: t("Requests a minute"),
  tokens_per_minute: t("Tokens a minute"),
  concurrent_runs: t("Answers at the same time"),
  members: t("Members"),
  documents: t("Documents"),
  storage_bytes: t("Bytes of documents and files"),
});
