import { expect, it } from "vitest";
import { serverEvents } from "../../../functions/web/widget/event-source.ts";

/** What the widget hears of a stream that comes in these pieces. */
async function heard(...pieces: readonly string[]) {
  const stream = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
  return Array.fromAsync(serverEvents(new Response(stream), () => {}));
}

it("hears events wherever the network cuts them, and passes over comments", async () => {
  const text = ': still here\n\nid: m:1\nevent: done\ndata: {"a":1}\n\n';
  const whole = [{ id: "m:1", type: "done", data: '{"a":1}' }];
  expect(await heard(text)).toEqual(whole);
  expect(await heard(...text)).toEqual(whole);
});

it.each(["\u2028", "\u2029", "\u0085", "\v"])("keeps %j, which ends no line of a stream", async (character) => {
  const data = JSON.stringify({ content: `one${character}two` });
  expect(await heard(`event: assistant_message\ndata: ${data}\n\n`)).toMatchObject([{ data }]);
});
