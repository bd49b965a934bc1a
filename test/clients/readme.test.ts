import { expect, inject, it } from "vitest";
import { readCodeBlocks, runCodeBlock } from "#test/support/code-blocks.ts";

const blocks = await readCodeBlocks("shared/client/README.md");

/** Output of each snippet of the client's README, in order. */
const outputs = [
  /^Trip to Lisbon 0$/m,
  /tokens$/m,
  /High tide is at 14:32/,
  /^The reply is complete: /m,
  /^data: \[DONE\]$/m,
  /\w \d+$/m,
  /^404 not_found /m,
];

it("README of the typed client has a code snippet for every topic", () => {
  expect(blocks.map(({ language }) => language)).toEqual(outputs.map(() => "ts"));
});

it.each(blocks.map((block, index) => [block.line, block, outputs[index] ?? /$^/] as const))(
  "code snippet at line %i of the typed client's README runs",
  async (_, block, output) => {
    // The local mode needs no token.
    expect(await runCodeBlock(block, { SWITCHBOARD_URL: inject("baseUrl") })).toMatch(output);
  },
);
