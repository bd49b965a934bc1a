import { t } from "./i18n.ts";
import { showError, showToast } from "./toast.ts";

/** Copies HTML, and a text for programs that paste plain text. */
export async function copyRich(html: string, text: string): Promise<void> {
  const toBlob = (content: string, type: string) => new Blob([content], { type });
  try {
    await navigator.clipboard.write([
      new ClipboardItem({ "text/html": toBlob(html, "text/html"), "text/plain": toBlob(text, "text/plain") }),
    ]);
    showToast(t("Copied"));
  } catch (error) {
    showError(error);
  }
}
