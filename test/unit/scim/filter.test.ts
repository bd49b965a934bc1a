import { expect, it } from "vitest";
import { findRequiredValue, matchesFilter, parseFilter } from "#shared/scim/filter.ts";
import { attributesOf, userSchema } from "#shared/scim/schemas.ts";

const user = {
  id: "00u1",
  userName: "Ann@example.com",
  externalId: "Ext",
  name: { familyName: "Lee" },
  active: true,
  emails: [
    { value: "ann@example.com", type: "work", primary: true },
    { value: "ann@home.example", type: "home" },
  ],
  groups: [{ value: "g1", display: "Support" }],
  meta: { lastModified: "2026-11-25T10:00:00.000Z" },
};
const matches = (filter: string) => matchesFilter(user, attributesOf(userSchema), parseFilter(filter));

it.each([
  ['userName eq "ann@EXAMPLE.com"', true],
  ['USERNAME EQ "ann@example.com"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann@example.com"', true],
  ['userName eq "bob@example.com"', false],
  ['id eq "00U1"', false],
  ['externalId eq "ext"', false],
  ['emails.value eq "ann@home.example"', true],
  ['emails eq "ann@home.example"', true],
  ['emails[type eq "work" and value co "home"]', false],
  ['emails[type eq "work"]', true],
  ['name.familyName sw "L" and active eq true', true],
  ["active eq false", false],
  ['active eq "true"', false],
  ["active eq True", true],
  ["active eq False", false],
  ["active ne FALSE", true],
  ["title eq Null", true],
  ['emails[type eq "work"].value eq "ann@example.com"', true],
  ['emails[type eq "WORK"].value eq "ANN@example.com"', true],
  ['emails[type eq "home"].value eq "ann@example.com"', false],
  ['emails[type eq "work"].value co "home"', false],
  ['emails[type eq "work"].value pr and active eq True', true],
  ['emails[type eq "other"].value pr', false],
  ['emails[type eq "work" and primary eq True].value sw "ann"', true],
  ['not (emails[type eq "home"].value ew ".org")', true],
  ['groups[display eq "Support"].value eq "g1" or active eq False', true],
  ['name.givenName pr or userName ew ".com"', true],
  ["title pr", false],
  ["title eq null", true],
  ['title ne "x"', true],
  ['not (title pr) and groups.display eq "support"', true],
  ['userName eq "x" or userName eq "y" and active eq true', false],
  ['active eq true or userName eq "x" and userName eq "y"', true],
  ['meta.lastModified gt "2026-11-24T00:00:00Z"', true],
  ['meta.lastModified le "2026-11-24T00:00:00Z"', false],
  ['unknown eq "x"', false],
  ['userName eq "a\\"b"', false],
])("SCIM filter %s matches the example user: %s", (filter, expected) => {
  expect(matches(filter)).toBe(expected);
});

it.each([
  "",
  "userName",
  "userName eq",
  "userName eq ann",
  'emails[type eq "work"].value',
  'emails[type eq "work"]. eq "x"',
  'userName is "x"',
  'userName eq "x',
  'userName eq "x" and',
  '(userName eq "x"',
  'userName eq "x")',
  'emails[type eq "work"',
  'not userName eq "x"',
  '1userName eq "x"',
  'userName eq "\\x"',
  `${"(".repeat(50)}active eq true${")".repeat(50)}`,
])("SCIM filter is refused as invalidFilter: %s", (filter) => {
  expect(() => parseFilter(filter)).toThrow(
    expect.objectContaining({ status: 400, details: { scimType: "invalidFilter" } }),
  );
});

it("SCIM filter returns the value that it requires for an attribute, but nothing for alternatives, negations and prefixes", () => {
  const required = (filter: string) => findRequiredValue(parseFilter(filter), "userName");
  expect(required('active eq true and username eq "a"')).toBe("a");
  expect(required('userName eq "a" or active eq true')).toBeUndefined();
  expect(required('not (userName eq "a")')).toBeUndefined();
  expect(required('userName sw "a"')).toBeUndefined();
});
