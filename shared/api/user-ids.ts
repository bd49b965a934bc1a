/**
 * The id of a user is derived from the value by which the identity provider knows the person: the claim of a token, an attribute
 * of SCIM, or a name that a back end gives. Most values are the id themselves. In others, `!XX` stands for each byte of UTF-8
 * that ids cannot contain, so that an id is safe in keys of the table and in paths of URLs, and has one value.
 */
const MARK = "!";

/** Prefix of the ids of API keys as users. */
export const SERVICE_PREFIX = "swk:";

/** Prefix of the id of a value that is too long for a key of the table: a SHA-256 hash follows. */
export const HASH_PREFIX = `${MARK}sha256:`;

/** Longest value: the limit of OpenID Connect for `sub`, in characters, which need not be ASCII. */
const MAX_VALUE_CHARACTERS = 255;

/** Longest id that is derived by escapes. A sort key has 1,024 bytes, and can contain more than the id. */
const MAX_ID_LENGTH = 512;

/** Values that a path of a URL would lose. */
const dots = /^\.{1,2}$/;
/** Returns true if a value is the id itself. */
const isPlain = (value: string) => /^[A-Za-z0-9._:@|-]+$/.test(value) && !dots.test(value);
const hashed = new RegExp(`^${HASH_PREFIX}[\\w-]{43}$`);

const toEscapes = (character: string) =>
  [...new TextEncoder().encode(character)]
    .map((byte) => MARK + byte.toString(16).toUpperCase().padStart(2, "0"))
    .join("");

const escapeAll = (value: string) =>
  dots.test(value) ? value.replaceAll(".", toEscapes) : value.replace(/[^A-Za-z0-9._:@|-]/gu, toEscapes);

/** Returns the value of an escaped id; undefined if the text is none. */
function unescapeId(id: string): string | undefined {
  if (!id.includes(MARK) || /[^\w.:@|!-]/.test(id)) return undefined;
  try {
    const value = decodeURIComponent(id.replaceAll(MARK, "%"));
    return escapeAll(value) === id ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if a text is the id of a user, as the API returns it. */
export const isUserId = (text: string): boolean =>
  text.length <= MAX_ID_LENGTH &&
  (hashed.test(text) || (isPlain(text) ? text.length <= MAX_VALUE_CHARACTERS : unescapeId(text) !== undefined));

/**
 * Returns true if a text can be the value of a person at an identity provider: not blank, without control characters, and
 * neither of the form of an escaped id nor of the id of an API key, so that no two values have one id.
 */
export const isIdentityValue = (text: string): boolean =>
  text.trim() !== "" &&
  text.length <= 2 * MAX_VALUE_CHARACTERS &&
  [...text].length <= MAX_VALUE_CHARACTERS &&
  text.isWellFormed() &&
  !/\p{Cc}/u.test(text) &&
  !text.startsWith(SERVICE_PREFIX) &&
  (isPlain(text) || !isUserId(text));

/** Returns the id for the value of a person; undefined if it is too long for escapes. Requires `isIdentityValue`. */
export function escapeIdentityValue(value: string): string | undefined {
  const id = escapeAll(value);
  return id.length <= MAX_ID_LENGTH ? id : undefined;
}

/** Returns the value that an id was derived from, which people know; the id itself if it is a hash. */
export const toIdentityValue = (id: string): string => unescapeId(id) ?? id;

/** Returns the id of a user whom a request names by the id, or by the value of the identity provider; undefined if it is neither. */
export function parseUserId(text: string): string | undefined {
  if (isUserId(text)) return text;
  return isIdentityValue(text) ? escapeIdentityValue(text) : undefined;
}

/** Returns true for the id of a visitor of a website, which starts with a character that ids of users cannot contain. */
export const isVisitorId = (userId: string): boolean => userId.startsWith("~");
