import { t } from "../../lib/i18n.ts";

/** Returns the words for the code with which Slack or Teams refused the credential of an app; the code itself if there are none. */
export function describeRefusal(code: string): string {
  const texts: Readonly<Record<string, string>> = {
    account_inactive: t("The account of the app is switched off."),
    invalid_auth: t("The token is not valid."),
    not_authed: t("The token is not valid."),
    token_expired: t("The token has expired."),
    token_revoked: t("The token was revoked."),
    invalid_client: t("The secret of the app is not valid."),
    unauthorized_client: t("The app is not allowed there."),
  };
  return texts[code] ?? code;
}
