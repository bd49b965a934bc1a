import { useState } from "preact/hooks";
import { ALL_READERS, GROUP_READER, PERSON_READER } from "../../../../shared/api/knowledge/reader-names.ts";
import { useResource } from "../lib/data.ts";
import { t } from "../lib/i18n.ts";
import { usePeople } from "../lib/people/people.ts";
import { api } from "../session/session.ts";
import { SelectField } from "../ui/fields.tsx";
import { NamesField } from "../ui/names-field.tsx";
import { Badge, Skeleton } from "../ui/status.tsx";

/** Readers of a collection, or of a document; null for all who can read the collection. */
export type ReaderList = readonly string[] | null;

/** Number of readers that a row names; the others are in its title. */
const MAX_SHOWN = 3;

/** Loads the groups and people that can be readers. `nameOf` names a reader, also one that was deleted. */
function useReaders() {
  const groups = useResource("groups", () => api.GET("/v1/groups")).value?.groups;
  const { people } = usePeople();
  const options = [
    ...(groups ?? []).map(({ id, name }) => [GROUP_READER + id, t("{name} (group)", { name })] as const),
    ...(people ?? []).map(({ id, name }) => [PERSON_READER + id, name] as const),
  ];
  const names = new Map(options);
  const isLoaded = groups !== undefined && people !== null;
  const nameOf = (reader: string) => {
    if (reader === ALL_READERS) return t("Everyone in the organization");
    if (!isLoaded) return "…";
    return names.get(reader) ?? (reader.startsWith(GROUP_READER) ? t("deleted group") : t("former person"));
  };
  return { options, nameOf, isLoaded };
}

type Kind = "all" | "owner" | "tenant" | "named";

const kindOf = (readers: ReaderList): Kind => {
  if (readers === null) return "all";
  if (readers.includes(ALL_READERS)) return "tenant";
  return readers.length === 0 ? "owner" : "named";
};

/** Field that chooses readers: all people of the organization, only the owner, or groups and people by their names. */
export function ReadersField({
  label,
  name,
  isDocument = false,
  value,
  onValue,
}: {
  readonly label: string;
  readonly name: string;
  /** True for a document, whose readers narrow those of its collection. */
  readonly isDocument?: boolean;
  readonly value: ReaderList;
  readonly onValue: (readers: ReaderList) => void;
}) {
  const { options, nameOf, isLoaded } = useReaders();
  const [chosen, setChosen] = useState<Kind | null>(null);
  const kind = chosen === "named" ? "named" : kindOf(value);
  const known = new Set(options.map(([reader]) => reader));
  // A deleted reader stays in the list until it is removed.
  const gone = (value ?? []).filter((reader) => reader !== ALL_READERS && !known.has(reader));
  const kinds: readonly (readonly [Kind, string])[] = [
    ...(isDocument ? [["all", t("All who can read the collection")] as const] : []),
    ["owner", isDocument ? t("Only its author and the owner of the collection") : t("Only me")],
    ...(isDocument ? [] : [["tenant", t("Everyone in the organization")] as const]),
    ["named", t("Groups and people")],
  ];
  return (
    <div class="stack tight">
      <SelectField
        label={label}
        name={name}
        value={kind}
        options={kinds}
        onValue={(next) => {
          setChosen(next);
          onValue(next === "all" ? null : next === "tenant" ? [ALL_READERS] : kind === "named" ? [] : namedOf(value));
        }}
      />
      {kind === "named" && !isLoaded && <Skeleton lines={2} />}
      {kind === "named" && isLoaded && (
        <NamesField
          label={t("Groups and people")}
          hint={t("Begin to type a name.")}
          options={[...options, ...gone.map((reader) => [reader, nameOf(reader)] as const)]}
          values={namedOf(value)}
          onValues={onValue}
        />
      )}
    </div>
  );
}

const namedOf = (readers: ReaderList): readonly string[] => (readers ?? []).filter((reader) => reader !== ALL_READERS);

/** Names of readers next to the title of a collection or document. */
export function ReaderBadges({
  readers,
  isDocument = false,
}: {
  readonly readers: ReaderList;
  readonly isDocument?: boolean;
}) {
  const { nameOf } = useReaders();
  if (readers === null) return null;
  if (readers.length === 0)
    return <Badge>{isDocument ? t("Only its author and the owner of the collection") : t("Only me")}</Badge>;
  const names = readers.map(nameOf);
  return (
    <>
      {names.slice(0, MAX_SHOWN).map((name, index) => (
        <Badge key={readers[index]} kind="accent" title={name}>
          <span class="truncate">{name}</span>
        </Badge>
      ))}
      {names.length > MAX_SHOWN && <Badge title={names.slice(MAX_SHOWN).join(", ")}>+{names.length - MAX_SHOWN}</Badge>}
    </>
  );
}
