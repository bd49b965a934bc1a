import * as v from "valibot";

/** Identifier of a resource. In a body any short text is looked up, so a malformed id is a 404 like an unknown one. */
export const Id = v.pipe(v.string(), v.maxLength(128, "must have at most 128 characters"), v.description("UUIDv7"));

/** Identifier in a path; what is not one is a 404. */
export const PathId = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  v.description("UUIDv7"),
);

/** ISO 8601 UTC timestamp with a `Z`. */
export const Timestamp = v.pipe(v.string(), v.description("ISO 8601, UTC"));

/** ISO 8601 allows zones such as `+02`, and people write ` +0200`; `Date` wants `+02:00`. */
const withFullOffset = (text: string) =>
  text.replace(/ ?([+-]\d{2}):?(\d{2})?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);

/** Timestamp a client gives: ISO 8601 with a zone; kept in UTC. */
export const TimestampInput = v.pipe(
  v.string(),
  v.isoTimestamp("must be an ISO 8601 timestamp with a zone"),
  v.transform((text) => new Date(withFullOffset(text)).toISOString()),
);

/** `limit` of a list: 1..100, default 50, as it comes in a query string. */
export const Limit = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^\d{1,4}$/, "must be a whole number"),
    v.transform(Number),
    v.minValue(1, "must be at least 1"),
    v.maxValue(100, "must be at most 100"),
  ),
  "50",
);

/** Opaque position in a list, as an earlier page gave it. */
export const Cursor = v.optional(v.pipe(v.string(), v.maxLength(1024)));

/** A boolean as it comes in a query string. */
export const BooleanParam = v.optional(
  v.pipe(
    v.picklist(["true", "false"], "must be true or false"),
    v.transform((text) => text === "true"),
  ),
);

/** Path parameters of routes on one resource. */
export const IdParams = v.object({ id: PathId });

/** The page object every list answers with: `{ <name>: [...], limit, next_cursor }`. */
export function pageOf<Name extends string, Item extends v.GenericSchema>(name: Name, item: Item) {
  const entries = { [name]: v.array(item) } as Record<Name, v.ArraySchema<Item, undefined>>;
  return v.object({ ...entries, limit: v.number(), next_cursor: v.nullable(v.string()) });
}
