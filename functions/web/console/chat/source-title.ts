import { HIDDEN_SOURCE_TYPE } from "../../../../shared/api/knowledge/hidden-source.ts";
import { t } from "../lib/i18n.ts";

/** Source of an answer, or one of which the user may see nothing but that it exists. */
interface NamedSource {
  readonly source_type: string;
  readonly title: string;
}

export const isHiddenSource = ({ source_type }: NamedSource): boolean => source_type === HIDDEN_SOURCE_TYPE;

/** Returns the title of a source; for a hidden one, that the user may not read it. */
export const titleOfSource = (source: NamedSource): string =>
  isHiddenSource(source) ? t("A source that you may not read, or that was deleted") : source.title;
