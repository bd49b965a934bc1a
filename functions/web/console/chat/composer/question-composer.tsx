import type { ComponentProps } from "preact";
import { Composer } from "./composer.tsx";
import { useSuggestions } from "./suggestions.ts";

/** Composer for questions, which suggests templates, personas and documents while the user types their names. */
export function QuestionComposer({
  setPersona,
  ...props
}: Omit<ComponentProps<typeof Composer>, "suggest"> & {
  readonly filesOf: string;
  /** Changes the persona of the conversation; null if the user cannot. */
  readonly setPersona: ((id: string | null) => void) | null;
}) {
  const suggest = useSuggestions(props.draft, setPersona, props.filesOf);
  return <Composer suggest={suggest} {...props} />;
}
