import { expect, it } from "vitest";
import { serverEvents } from "../../../functions/web/widget/event-source.ts";

/** Reads the widget's events from a stream that arrives in these chunks. */
async function readEvents(...chunks: readonly string[]) {
  const stream = ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
  return Array.fromAsync(serverEvents(new Response(stream), () => {}));
}

it("event parser of the website widget returns the same events wherever chunks are split", async () => {
  const text = ': still here\n\nid: m:1\nevent: done\ndata: {"a":1}\n\n';
  const expected = [{ id: "m:1", type: "done", data: '{"a":1}' }];
  expect(await readEvents(text)).toEqual(expected);
  expect(await readEvents(...text)).toEqual(expected);
});

it.each(["\u2028", "\u2029", "\u0085", "\v"])(
  "event parser of the website widget does not treat the character %j as a line break",
  async (character) => {
    const data = JSON.stringify({ content: `one${character}two` });
    expect(await readEvents(`event: assistant_message\ndata: ${data}\n\n`)).toMatchObject([{ data }]);
  },
);
