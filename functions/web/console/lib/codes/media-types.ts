import { t } from "../i18n.ts";

/** Returns the name of a document format, or the media type itself if it has no name here. */
export function nameMediaType(mediaType: string): string {
  const names: Readonly<Record<string, string>> = {
    "text/plain": t("Text"),
    "text/markdown": "Markdown",
    "text/html": t("Web page"),
    "text/csv": "CSV",
    "application/pdf": "PDF",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.oasis.opendocument.text": t("OpenDocument text"),
    "application/vnd.oasis.opendocument.spreadsheet": t("OpenDocument spreadsheet"),
    "application/vnd.oasis.opendocument.presentation": t("OpenDocument presentation"),
    "application/rtf": "RTF",
    "application/epub+zip": "EPUB",
    "application/vnd.ms-outlook": t("E-mail"),
    "message/rfc822": t("E-mail"),
  };
  return names[mediaType] ?? mediaType;
}
