import { expect, it } from "vitest";
import { importState } from "../../../functions/web/console/govern/import/import-state.ts";
import { type Receptor, receptor } from "../../../functions/web/console/session/session.ts";

const signIn = (user_id: string) => {
  receptor.value = { user: { user_id } } as Receptor;
};

it("console import is forgotten when another user signs in, not when the same user's rights are loaded again", () => {
  signIn("ada");
  importState.value = { conversations: [], done: 0, status: "stopped", error: null };
  signIn("ada");
  expect(importState.value).not.toBeNull();
  signIn("grace");
  expect(importState.value).toBeNull();
});
