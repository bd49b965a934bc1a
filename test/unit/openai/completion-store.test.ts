import { afterAll, beforeAll, expect, it } from "vitest";
import { claimCompletion, storeCompletion } from "#shared/openai/completions/completion-store.ts";
import { type MeteredTable, startMeteredTable } from "#test/support/tables/metered-table.ts";

const scope = { tenantId: "t" };
const usage = { model: "m", input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 0 };

let table: MeteredTable;

beforeAll(async () => {
  table = await startMeteredTable();
});

afterAll(() => table?.stop());

it.each([
  ["short", "{}"],
  ["long", JSON.stringify("a".repeat(99_998) + "😀".repeat(60_000))],
])("claimCompletion() returns a stored %s answer unchanged to a retry", async (id, answer) => {
  const request = { id, fingerprint: "f" };
  expect(await claimCompletion(scope, request, "owner")).toEqual({ state: "claimed" });
  await storeCompletion(scope, request, "owner", answer, {
    id,
    key_id: "k",
    persona_id: "p",
    persona_version: 1,
    usage,
  });
  const { state, ...stored } = await claimCompletion(scope, request, "retry");
  expect(state).toBe("done");
  expect("answer" in stored && stored.answer === answer).toBe(true);
});
