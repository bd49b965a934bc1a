import { afterEach, expect, it, vi } from "vitest";
import { moveModelChoice } from "../../../functions/web/console/lib/drafts.ts";

afterEach(() => vi.unstubAllGlobals());

function stubStorage(user: string, maxCharacters: number): Map<string, string> {
  const items = new Map([[`switchboard.draft:model:${user}:new`, "large"]]);
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => items.get(key) ?? null,
    removeItem: (key: string) => items.delete(key),
    setItem: (key: string, value: string) => {
      if (key.length + value.length > maxCharacters) throw new DOMException("full", "QuotaExceededError");
      items.set(key, value);
    },
  });
  return items;
}

it("moveModelChoice() assigns the model that was chosen for a new conversation to the created conversation", () => {
  const items = stubStorage("ada", 1_000);
  moveModelChoice("ada", "new", "id-1");
  expect([...items]).toEqual([["switchboard.draft:model:ada:id-1", "large"]]);
});

it("moveModelChoice() does not fail when the storage is full, because the question is sent afterwards", () => {
  const items = stubStorage("grace", 0);
  moveModelChoice("grace", "new", "id-1");
  expect([...items]).toEqual([]);
});
