import { useId } from "preact/hooks";
import { TextField } from "../../ui/controls.tsx";
import type { Person } from "./find-person-id.ts";

/** Text field for the name or the id of a person or another entry, with suggestions. `findPersonId` returns the id of its text. */
export function PersonField({
  people,
  ...props
}: {
  readonly people: readonly Person[];
  readonly label: string;
  readonly name?: string;
  readonly hint?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly required?: boolean;
  readonly disabled?: boolean;
}) {
  const list = useId();
  return (
    <>
      <TextField {...props} list={list} />
      <datalist id={list}>
        {people.map(({ id, name }) => (
          <option key={id} value={name}>
            {id}
          </option>
        ))}
      </datalist>
    </>
  );
}
