import { t } from "./i18n.ts";

/** Returns the title of a conversation, translated as long as it has none. */
export const titleOf = ({
  title,
  title_origin,
}: {
  readonly title: string;
  readonly title_origin?: string | undefined;
}) => (title_origin === "none" ? t("New conversation") : title);
