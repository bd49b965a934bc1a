import { signal } from "@preact/signals";

/** Code of an answer, and the kind of page that draws it. */
interface Preview {
  readonly kind: "mermaid" | "markup";
  readonly language: string;
  readonly code: string;
}

/** Preview that is shown next to the conversation; null if none is. */
export const shownPreview = signal<Preview | null>(null);

const markupLanguages: ReadonlySet<string> = new Set(["html", "svg", "xhtml"]);

/** Returns the kind of page that draws code of a language; null if none does. */
export function previewKindOf(language: string | null, code: string): Preview["kind"] | null {
  if (language === "mermaid") return language;
  const isMarkup = markupLanguages.has(language ?? "") || (language === "xml" && /^\s*<svg\b/.test(code));
  return isMarkup ? "markup" : null;
}
