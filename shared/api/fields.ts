import * as v from "valibot";
import { MEBIBYTE } from "./limits.ts";
import { parseUserId } from "./user-ids.ts";

/** Adds the description that a schema has in the OpenAPI document. */
export /* @__NO_SIDE_EFFECTS__ */ function describe<const Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
) {
  return v.pipe(schema, v.description(text));
}

/** Resource id in a request body. Any short text is accepted, so a malformed id is a 404 just like an unknown one. */
export const Id = v.pipe(
  v.string(),
  v.minLength(1, "must not be empty"),
  v.maxLength(128, "must have at most 128 characters"),
  v.description("A UUIDv7."),
);

/** Resource id in a path; a malformed one is a 404. */
export const PathId = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  v.description("A UUIDv7."),
);

/** Id of a user in a request, or the value by which the identity provider knows the person, which becomes the id. */
export const UserId = v.pipe(
  v.string(),
  v.check((text) => parseUserId(text) !== undefined, "must be a user id"),
  v.transform((text) => parseUserId(text) ?? text),
  v.description("The id of a user, or the value by which the identity provider knows the person."),
);

/** Value by which an identity provider, and so people, know a user, in a response. */
export const ExternalId = v.pipe(
  v.string(),
  v.description("The value by which the identity provider knows the user, such as an e-mail address."),
);

/** Id that a program of the caller chooses, such as that of a tenant. */
export const ChosenId = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9._:@|-]{1,128}$/, "must have 1 to 128 characters from A-Z a-z 0-9 . _ : @ | -"),
);

/** Timestamp in a response: ISO 8601 in UTC with a `Z`. */
export const Timestamp = v.pipe(v.string(), v.description("An ISO 8601 timestamp in UTC."));

/** Normalizes offsets such as `+02` and ` +0200` to `+02:00`, the only form that `Date` parses. */
const withFullOffset = (text: string) =>
  text.replace(/ ?([+-]\d{2}):?(\d{2})?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);

/** Timestamp in a request: ISO 8601 with a UTC offset, converted to UTC. */
export const TimestampInput = v.pipe(
  v.string(),
  v.isoTimestamp("must be an ISO 8601 timestamp with a UTC offset"),
  v.transform((text) => new Date(withFullOffset(text)).toISOString()),
);

/** Number of results in a query string, from 1. */
export function limitParam(max: number, byDefault: number) {
  return v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,4}$/, "must be a whole number"),
      v.transform(Number),
      v.minValue(1, "must be at least 1"),
      v.maxValue(max, `must be at most ${max}`),
      v.metadata({ jsonSchema: { type: "integer", minimum: 1, maximum: max } }),
    ),
    String(byDefault),
  );
}

/** Page size of a list in a query string: 1 to 100, 50 by default. */
export const Limit = limitParam(100, 50);

/** Opaque cursor that a previous page returned as `next_cursor`. */
export const Cursor = v.optional(v.pipe(v.string(), v.maxLength(1024)));

/**
 * Control characters, line breaks and characters that change the direction of the text after them, none of which a title
 * shows: U+202E makes `gpj.exe` of `exe.jpg`.
 */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/**
 * Returns a text as one line: unprintable characters become spaces. Letters and their accents become one character (NFC), because
 * macOS separates them in the names of files.
 */
export const toLine = (text: string): string => text.replace(unprintable, " ").trim().normalize("NFC");

/**
 * Formats a limit in the message of an error. Messages with it are functions, because the first formatted number of a process
 * loads locale data for 15 ms.
 */
const formatLimit = (limit: number) => limit.toLocaleString("en");

const atMost = (characters: number) =>
  v.maxLength<string, number, () => string>(
    characters,
    () => `must have at most ${formatLimit(characters)} characters`,
  );
const notEmpty = v.minLength<string, 1, string>(1, "must not be empty");

/** Text with a maximum length; it may be empty. */
export const textOfAtMost = (characters: number) => v.pipe(v.string(), atMost(characters));

/** Text with a maximum length that is not empty. */
export const nonEmptyText = (characters: number) => v.pipe(v.string(), notEmpty, atMost(characters));

/** Text with a maximum length without spaces at its start and end, of which at least one character remains. */
export const trimmedText = (characters: number) => v.pipe(v.string(), v.trim(), notEmpty, atMost(characters));

/** One line of text, such as a title or the name of a file, with a maximum length. */
export const lineOf = (characters: number) =>
  v.pipe(
    trimmedText(characters),
    // The published schema describes what precedes a transformation.
    v.transform(toLine),
    v.check((line) => line !== "", "must not be empty"),
  );

/** Whole number in a request. */
export const wholeNumber = (min: number, max: number) =>
  v.pipe(
    v.number(),
    v.integer("must be a whole number"),
    v.minValue(min, () => `must be at least ${formatLimit(min)}`),
    v.maxValue(max, () => `must be at most ${formatLimit(max)}`),
  );

/** Size of a file that a client is about to upload, in bytes. */
export const fileSize = (maxBytes: number) =>
  describe(
    v.pipe(
      v.number(),
      v.integer("must be a whole number"),
      v.minValue(1, "must be at least 1"),
      v.maxValue(maxBytes, `must be at most ${maxBytes / MEBIBYTE} MiB`),
    ),
    "The exact size of the file in bytes.",
  );

/** Count, size or version in a response. */
export const Integer = v.pipe(v.number(), v.integer());

/** Boolean in a query string. */
export const BooleanParam = v.optional(
  v.pipe(
    v.picklist(["true", "false"], "must be true or false"),
    v.transform((text) => text === "true"),
    v.metadata({ jsonSchema: { type: "boolean" } }),
  ),
);

/** Path parameters of routes for a single resource. */
export const IdParams = v.object({ id: PathId });

/** Page of a list: `{ <name>: [...], limit, next_cursor }`. */
export function pageOf<Name extends string, Item extends v.GenericSchema>(name: Name, item: Item) {
  const entries = { [name]: v.array(item) } as Record<Name, v.ArraySchema<Item, undefined>>;
  return v.object({ ...entries, limit: Integer, next_cursor: v.nullable(v.string()) });
}

const originMessage = "must be an origin such as https://www.example.com";

/** Absolute http or https URL that the service requests. */
export const HttpUrl = v.pipe(
  v.string(),
  v.maxLength(2_000, "must have at most 2,000 characters"),
  v.url("must be a URL"),
  v.regex(/^https?:\/\/[^/?#@\s]+(?:[/?#]|$)/i, "must be an http or https URL without credentials"),
);

/** Origin of a page as browsers send it: scheme, host and non-default port. */
export const Origin = v.pipe(
  v.string(),
  v.maxLength(255, "must have at most 255 characters"),
  v.regex(/^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/, originMessage),
  v.check((origin) => URL.canParse(origin) && new URL(origin).origin === origin, originMessage),
);

const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== null;
  } catch {
    return false;
  }
};

export const TimeZone = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check((name) => name === "UTC" || isTimeZone(name), "must be an IANA time zone, such as Europe/Berlin"),
);

export const Email = v.pipe(v.string(), v.maxLength(254), v.email("must be an e-mail address"));
