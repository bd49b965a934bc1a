/** User of the organization, for choices. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/** Returns the id of the person with this name, if only one has it; otherwise the text, which is an id then. */
export function findPersonId(text: string, people: readonly Person[] | null): string {
  const typed = text.trim();
  if (people === null) return typed;
  const named = people.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  return named.length === 1 && !people.some(({ id }) => id === typed) ? (named[0] as Person).id : typed;
}
