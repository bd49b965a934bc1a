import { t } from "./i18n.ts";

/** Returns the title of a conversation, or a translated placeholder if it has none yet. */
export const conversationTitleOf = ({
  title,
  title_origin,
}: {
  readonly title: string;
  readonly title_origin?: string | undefined;
}) => (title_origin === "none" ? t("New conversation") : title);
