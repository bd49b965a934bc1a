import { expect, it } from "vitest";
import { importState } from "../../../functions/web/console/account/import/import-state.ts";
import { type Receptor, receptor } from "../../../functions/web/console/session/session.ts";

const signIn = (user_id: string) => {
  receptor.value = { user: { user_id } } as Receptor;
};

it("state of a console import is dropped when another user signs in, but not when the same user signs in again", () => {
  signIn("ada");
  importState.value = { conversations: [], done: 0, status: "stopped", error: null };
  signIn("ada");
  expect(importState.value).not.toBeNull();
  signIn("grace");
  expect(importState.value).toBeNull();
});
