import { expect, it } from "vitest";
import { projectAttributes, toAttributes } from "#shared/scim/attributes.ts";
import { applyPatch, parseOperations } from "#shared/scim/patch.ts";
import { groupSchema, userSchema } from "#shared/scim/schemas.ts";

const work = { value: "ann@example.com", type: "work", primary: true };
const user = {
  userName: "ann@example.com",
  name: { givenName: "Ann", familyName: "Lee" },
  active: true,
  emails: [work],
};
const group = { displayName: "Support", members: ["a", "b", "c"].map((value) => ({ value, type: "User" })) };

const patchUser = (...Operations: object[]) =>
  toAttributes(userSchema, applyPatch(userSchema, user, parseOperations({ Operations })));
const patchMembers = (...Operations: object[]) => {
  const after = toAttributes(groupSchema, applyPatch(groupSchema, group, parseOperations({ Operations })));
  return ((after.members ?? []) as { value: string }[]).map(({ value }) => value);
};

it.each<[string, object, object]>([
  ["Okta's value without a path", { op: "replace", value: { active: false } }, { active: false }],
  ["Entra's boolean as a text", { op: "Replace", path: "active", value: "False" }, { active: false }],
  [
    "Entra's value with paths as names",
    { op: "Replace", value: { "name.givenName": "Anna", displayName: "Anna Lee" } },
    { name: { givenName: "Anna", familyName: "Lee" }, displayName: "Anna Lee" },
  ],
  [
    "a complex value, whose sub-attributes are merged",
    { op: "replace", path: "name", value: { familyName: "Kim" } },
    { name: { givenName: "Ann", familyName: "Kim" } },
  ],
  [
    "the value of a matching element",
    { op: "replace", path: 'emails[type eq "work"].value', value: "new@example.com" },
    { emails: [{ ...work, value: "new@example.com" }] },
  ],
  [
    "the value of an element that does not exist",
    { op: "Add", path: 'emails[type eq "home"].value', value: "home@example.com" },
    { emails: [work, { type: "home", value: "home@example.com" }] },
  ],
  [
    "a new primary element",
    { op: "add", path: "emails", value: [{ value: "x@example.com", type: "other", primary: true }] },
    {
      emails: [
        { value: work.value, type: "work" },
        { value: "x@example.com", type: "other", primary: true },
      ],
    },
  ],
  ["an element that exists", { op: "add", path: "emails", value: [work] }, { emails: [work] }],
  ["the removal of elements", { op: "remove", path: 'emails[type eq "work"]' }, { emails: undefined }],
  ["the removal of an attribute", { op: "remove", path: "name.givenName" }, { name: { familyName: "Lee" } }],
  ["null, which unassigns", { op: "replace", path: "name", value: null }, { name: undefined }],
  ["a path with the schema", { op: "add", path: `${userSchema.id}:title`, value: "VP" }, { title: "VP" }],
  [
    "an attribute of another schema, which is ignored",
    { op: "add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", value: "Sales" },
    {},
  ],
  ["a read-only attribute in a value, which is ignored", { op: "replace", value: { id: "x", groups: [] } }, {}],
])("SCIM patch of a user applies %s", (_, operation, changes) => {
  expect(patchUser(operation)).toEqual(JSON.parse(JSON.stringify({ ...user, ...changes })));
});

it.each<[string, object, string]>([
  ["the removal without a path", { op: "remove" }, "noTarget"],
  ["the removal of an id", { op: "remove", path: "id" }, "mutability"],
  ["an invalid path", { op: "replace", path: "emails[type eq", value: "x" }, "invalidPath"],
  ["an invalid filter", { op: "replace", path: "emails[type is 1].value", value: "x" }, "invalidFilter"],
  [
    "a filter without a match that describes no element",
    { op: "add", path: 'emails[type ne "x"].value', value: "y" },
    "noTarget",
  ],
  ["a value of another type", { op: "replace", path: "active", value: "yes" }, "invalidValue"],
  ["a value that is no object without a path", { op: "add", value: "x" }, "invalidValue"],
  ["an unknown operation", { op: "move", path: "title" }, "invalidSyntax"],
])("SCIM patch of a user is refused with a type: %s", (_, operation, scimType) => {
  // The filter of the third case matches the only address.
  const withoutMatch = { op: "replace", path: 'emails[type eq "work"].type', value: "x" };
  const operations = scimType === "noTarget" && "path" in operation ? [withoutMatch, operation] : [operation];
  expect(() => patchUser(...operations)).toThrow(expect.objectContaining({ status: 400, details: { scimType } }));
});

it.each<[string, object, string[]]>([
  [
    "adds those that are missing",
    { op: "Add", path: "members", value: [{ value: "c" }, { value: "d" }] },
    ["a", "b", "c", "d"],
  ],
  ["removes those of a filter", { op: "remove", path: 'members[value eq "b"]' }, ["a", "c"]],
  [
    "removes those of the value, as Entra sends it",
    { op: "Remove", path: "members", value: [{ value: "a" }] },
    ["b", "c"],
  ],
  ["removes all", { op: "remove", path: "members" }, []],
  ["removes none that an empty value names", { op: "remove", path: "members", value: [] }, ["a", "b", "c"]],
  ["replaces all", { op: "replace", value: { id: "g", members: [{ value: "x" }] } }, ["x"]],
  ["takes ids without objects", { op: "add", path: "members", value: ["x"] }, ["a", "b", "c", "x"]],
])("SCIM patch of the members of a group %s", (_, operation, expected) => {
  expect(patchMembers(operation)).toEqual(expected);
});

it.each([
  [{ attributes: "userName,name.familyName" }, { userName: user.userName, name: { familyName: "Lee" } }],
  [{ attributes: "EMAILS.value" }, { emails: [{ value: work.value }] }],
  [{ excludedAttributes: "emails,name.givenName,active,id" }, { userName: user.userName, name: { familyName: "Lee" } }],
  [{ excludedAttributes: `${userSchema.id}:emails` }, { ...user, emails: undefined }],
])("SCIM projection returns the id and the requested attributes: %j", (projection, expected) => {
  expect(projectAttributes({ id: "1", ...user }, projection)).toEqual(
    JSON.parse(JSON.stringify({ id: "1", ...expected })),
  );
});
