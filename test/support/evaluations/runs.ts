import { expect, vi } from "vitest";
import type { TestRun } from "#shared/api/evaluations/test-runs.ts";
import type { Client } from "../client.ts";
import type { Script } from "../models/upstream.ts";
import { streamText } from "../models/upstream.ts";

/** Creates a persona whose version `n` has the instructions "Version n.", and a set of items for it. */
export async function createTestSet(
  owner: Client,
  items: readonly Record<string, unknown>[],
  { versions = 1, ...fields }: Record<string, unknown> & { readonly versions?: number } = {},
) {
  const body = { name: "Guide", instructions: "Version 1.", tier: "QUICK", ...fields };
  const persona_id: string = (await owner.post("/v1/personas", body)).body.id;
  for (let n = 2; n <= versions; n++) {
    await owner.patch(`/v1/personas/${persona_id}`, { instructions: `Version ${n}.`, publish: false });
  }
  const set_id: string = (await owner.post("/v1/test-sets", { persona_id, name: "Prices" })).body.id;
  if (items.length > 0) {
    const { status, body: added } = await owner.post(`/v1/test-sets/${set_id}/items`, { items });
    expect([status, added.invalid]).toEqual([200, []]);
  }
  return { persona_id, set_id };
}

/** Waits until a run has ended. */
export const waitForEnd = (client: Client, id: string, timeout = 60_000): Promise<TestRun> =>
  vi.waitFor(
    async () => {
      const { body } = await client.get(`/v1/test-runs/${id}`);
      expect(body.status).not.toBe("running");
      return body as TestRun;
    },
    { timeout, interval: 200 },
  );

const tokensOf = (text: string) => Math.ceil(text.length / 4);

/** Returns a script that answers by version and question, and reports the tokens that the service estimates. */
export const answerBy =
  (toText: (version: number, question: string) => string): Script =>
  (response, request) => {
    const contents: string[] = request.body.messages.map(({ content }: { content: unknown }) =>
      typeof content === "string" ? content : (content as { text: string }[]).map(({ text }) => text).join(""),
    );
    const version = Number(/Version (\d+)\./.exec(contents.join("\n"))?.[1]);
    const text = toText(version, contents.at(-1) ?? "");
    const [prompt_tokens, completion_tokens] = [tokensOf(contents.join("\n")), tokensOf(text)];
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    return streamText([text], { usage })(response, request);
  };
