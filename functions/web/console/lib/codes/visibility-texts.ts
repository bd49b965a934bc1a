import { t } from "../i18n.ts";

/** Texts for the visibility of entries. They are looked up when they are shown, in the language of the user. */
export const visibilityTexts = () => ({ private: t("Only me"), tenant: t("Everyone in the organization") });
