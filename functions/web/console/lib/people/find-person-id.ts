/** User of the organization that can be chosen in a field. */
export interface PersonOption {
  readonly id: string;
  readonly name: string;
}

/**
 * Returns the id of the only person with this name. If there is none or several, or the names are not known yet, returns the text,
 * which can be an id itself.
 */
export function findPersonId(text: string, people: readonly PersonOption[] | null): string {
  const typed = text.trim();
  if (people === null) return typed;
  const named = people.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  return named.length === 1 && !people.some(({ id }) => id === typed) ? (named[0] as PersonOption).id : typed;
}
