import { expect, it } from "vitest";
import { isKeyManaged, newUser, readUser, type StoredUser } from "#shared/tenancy/stored-user.ts";

/** Returns a user as older versions stored it, without `key_managed`. */
function toOlderUser(fields: Partial<StoredUser>): StoredUser {
  const {
    key_managed: _,
    key_uses: __,
    ...older
  } = newUser({ userId: "ada" }, { roles: ["member"], name: null, email: null }, "2026-01-01");
  return readUser({ pk: "t#user#ada", sk: "user", ...older, ...fields });
}

const byKey = "user#swk:k api-key#k";

it.each([
  ["written by a key", { changed_by: byKey }, true],
  ["written by a token", { changed_by: "user#ada" }, false],
  ["written by an unknown actor", {}, false],
  ["with a name from a token", { changed_by: byKey, name: "Ada" }, false],
  ["with an address from a token", { changed_by: byKey, email: "ada@example.com" }, false],
  ["of an identity provider", { changed_by: byKey, scim: { attributes: {}, modified_at: "2026-01-01" } }, false],
  ["that is the service of a key", { changed_by: byKey, user_id: "swk:k" }, false],
  ["who has signed in since", { changed_by: byKey, key_managed: false }, false],
])("isKeyManaged() of an item of an older version %s is decided by its last writer", (_, fields, expected) => {
  expect(isKeyManaged(toOlderUser(fields))).toBe(expected);
});
