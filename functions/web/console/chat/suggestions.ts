import { useState } from "preact/hooks";
import { t } from "../lib/i18n.ts";
import { usePersonas, useTemplates } from "../lib/lists.ts";
import type { Suggestion } from "./composer.tsx";

/**
 * Returns the function that suggests templates for `/` and personas for `@`. Templates are loaded when they are needed.
 * @param setText replaces the text of the message
 * @param setPersona null if the user cannot choose the persona
 */
export function useSuggestions(
  setText: (text: string) => void,
  setPersona: ((id: string | null) => void) | null,
): (mark: "/" | "@") => readonly Suggestion[] {
  const [isOpen, setOpen] = useState(false);
  const personas = usePersonas();
  const templates = useTemplates(isOpen);
  return (mark) => {
    if (mark === "/") {
      if (!isOpen) queueMicrotask(() => setOpen(true));
      return (templates.value?.templates ?? []).map(({ id, name, description, body }) => ({
        id,
        label: name,
        detail: description || body,
        choose: () => setText(body),
      }));
    }
    if (!setPersona) return [];
    const choose = (id: string | null) => () => {
      setPersona(id);
      setText("");
    };
    return [
      { id: "", label: t("Assistant"), detail: "", choose: choose(null) },
      ...(personas.value?.personas ?? []).map(({ id, name, description }) => ({
        id,
        label: name,
        detail: description,
        choose: choose(id),
      })),
    ];
  };
}
