import { useId } from "preact/hooks";
import { TextField } from "../../ui/fields.tsx";
import type { PersonOption } from "./find-person-id.ts";

/**
 * Text field with suggestions for the name or id of a person, or of another entry. `findPersonId` converts its text to an id.
 * It is disabled until the names are known, because a name that is sent before would count as an id.
 */
export function PersonField({
  people,
  disabled = false,
  ...props
}: {
  /** Null until the names are known. */
  readonly people: readonly PersonOption[] | null;
  readonly label: string;
  readonly name?: string;
  readonly hint?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly required?: boolean;
  readonly disabled?: boolean;
}) {
  const list = useId();
  const named = Map.groupBy(people ?? [], ({ name }) => name.toLowerCase());
  // A name that several people have stands for none of them.
  const isUnique = (name: string) => named.get(name.toLowerCase())?.length === 1;
  return (
    <>
      <TextField {...props} disabled={disabled || people === null} list={list} />
      <datalist id={list}>
        {people?.map(({ id, name }) => (
          <option key={id} value={isUnique(name) ? name : id}>
            {isUnique(name) ? id : name}
          </option>
        ))}
      </datalist>
    </>
  );
}
