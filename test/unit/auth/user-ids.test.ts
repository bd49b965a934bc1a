import { expect, it } from "vitest";
import { isUserId, parseUserId, toIdentityValue } from "#shared/api/user-ids.ts";
import { parseIdentityHeader, toIdentity } from "#shared/auth/principal.ts";
import { foreignUserValues } from "#test/support/tenancy/foreign-user-values.ts";

const idOf = (value: string) => toIdentity(value)?.userId;

it.each(foreignUserValues)("id of the user %s is safe in keys and paths and leads back to the value", (_, value) => {
  const { userId = "", externalId } = toIdentity(value) ?? {};
  expect(userId).toMatch(/^[\w.:@|!-]{1,512}$/);
  expect(isUserId(userId)).toBe(true);
  expect(externalId ?? toIdentityValue(userId)).toBe(value);
  expect(parseUserId(userId)).toBe(userId);
  expect(parseIdentityHeader(encodeURIComponent(value))).toEqual(toIdentity(value));
});

it.each(["ada", "00uann", "auth0|5f7c8ec7c33c6c004bbafe82", "ada@example.com", "u".repeat(255)])(
  "id of the user %j, which needs no escapes, is the value",
  (value) => expect(toIdentity(value)).toEqual({ userId: value }),
);

it.each([
  "",
  " ",
  "\u3000",
  "a\nb",
  "a\u0000",
  "\u0085",
  "\ud800",
  "swk:1",
  "x".repeat(256),
  "é".repeat(256),
  7,
  null,
  {},
])("%j names no user", (value) => expect(toIdentity(value)).toBeUndefined());

it.each(["ada!2Btest@example.com", "!20", `!sha256:${"a".repeat(43)}`, idOf("長".repeat(255))])(
  "value %j, which has the form of an id, names no user",
  (value) => {
    expect(toIdentity(value)).toBeUndefined();
    expect(isUserId(String(value))).toBe(true);
  },
);

it.each(["Hello!", "a!7C", "a!2b", "!C3", "!sha256:x"])(
  "value %j with an exclamation mark gets an id of its own",
  (value) => {
    expect(isUserId(value)).toBe(false);
    expect(toIdentityValue(idOf(value) ?? "")).toBe(value);
  },
);

it.each(["%", "%zz", "%ff", "é", "日本", "a%00"])("header value %j names no user", (text) =>
  expect(parseIdentityHeader(text)).toBeUndefined(),
);

/** Pseudorandom numbers below 2 to the 31st (Park and Miller), so that a failure can be repeated. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; state = (state * 48_271) % 2_147_483_647) yield state;
}

it("ids of 60,000 values that resemble each other are never equal for two of them", () => {
  const alphabet = [
    "a",
    "A",
    "e",
    "é",
    "e\u0301",
    "K",
    "\u212a",
    "İ",
    "i\u0307",
    "!",
    "%",
    "2",
    "B",
    "+",
    "#",
    "/",
    " ",
    "ß",
    "ss",
    "ﬁ",
    "ﬁ",
    "fi",
    "😀",
    "sha256:",
    "swk:",
    "~",
    "=",
    "\\",
    "..",
    "\u202e",
    "\u200d",
  ];
  const random = numbers(20_261_128);
  const below = (limit: number) => random.next().value % limit;
  const values = new Map<string, string>();
  let accepted = 0;
  for (let index = 0; index < 20_000; index++) {
    const text = Array.from({ length: 1 + below(6) }, () => alphabet[below(alphabet.length)]).join("");
    // Also the forms into which an escape, a normal form or a change of case would turn it.
    for (const value of [
      text,
      text.normalize("NFD"),
      text.toLowerCase(),
      idOf(text) ?? text,
      encodeURIComponent(text),
    ]) {
      const id = idOf(value);
      if (id === undefined) continue;
      accepted++;
      expect(values.get(id) ?? value, id).toBe(value);
      values.set(id, value);
    }
  }
  expect(accepted).toBeGreaterThan(60_000);
});
