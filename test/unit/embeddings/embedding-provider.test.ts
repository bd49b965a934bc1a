import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterEach, expect, it, vi } from "vitest";

const DIMENSIONS = 4;
let server: Server;
afterEach(async () => {
  vi.unstubAllEnvs();
  await new Promise((resolve) => server.close(resolve));
});

/** Starts a provider that refuses more texts in a request, or longer ones; its vectors are the first characters of the texts. */
async function startProvider(maxTexts: number, maxLength: number, status = 400): Promise<string[][]> {
  const inputs: string[][] = [];
  server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { input: string[] };
    inputs.push(input);
    const isRefused = input.length > maxTexts || input.some((text) => text.length > maxLength);
    const data = input.map((text, index) => ({ index, embedding: [text.charCodeAt(0), 1, 0, 0] }));
    response.writeHead(isRefused ? status : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(isRefused ? { error: { message: "input is too large to process" } } : { data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("EMBEDDING_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  vi.stubEnv("EMBEDDING_MODEL", "m");
  vi.stubEnv("EMBEDDING_DIMENSIONS", String(DIMENSIONS));
  return inputs;
}

const embed = async (texts: readonly string[]) => {
  vi.resetModules();
  const { embedTexts } = await import("#shared/embeddings/embedding-provider.ts");
  return { embedTexts, vectors: await embedTexts({ id: "s", model: "m", dimensions: DIMENSIONS }, texts, 20_000) };
};

const letters = Array.from({ length: 90 }, (_, n) => String.fromCharCode(200 + n));
const firstOf = (vectors: readonly Float32Array[]) =>
  vectors.map(([first = 0, second = 1]) => String.fromCharCode(Math.round(first / second)));

it.each([10, 25, 32])(
  "texts are embedded in order by a provider that takes %i in a request, which later requests know",
  async (limit) => {
    const inputs = await startProvider(limit, 10_000, limit === 32 ? 422 : 400);
    const { embedTexts, vectors } = await embed(letters);
    expect(firstOf(vectors)).toEqual(letters);
    const before = inputs.length;
    await embedTexts({ id: "s", model: "m", dimensions: DIMENSIONS }, letters, 20_000);
    const later = inputs.slice(before);
    expect(Math.max(...later.map(({ length }) => length))).toBeLessThanOrEqual(limit);
  },
);

it("text that is longer than the provider accepts is embedded by its beginning, like the others", async () => {
  await startProvider(64, 700, 413);
  const { vectors } = await embed(["a", "字".repeat(2_000), "c"]);
  expect(firstOf(vectors)).toEqual(["a", "字", "c"]);
});

it("text that is too long, wherever it is, makes no later request smaller", async () => {
  const inputs = await startProvider(64, 700);
  const { embedTexts } = await embed([...letters.slice(0, 40), "字".repeat(2_000), ...letters.slice(41, 64)]);
  const before = inputs.length;
  await embedTexts({ id: "s", model: "m", dimensions: DIMENSIONS }, letters.slice(0, 64), 20_000);
  expect(inputs.slice(before).map(({ length }) => length)).toEqual([64]);
});

it("provider that refuses each request is unavailable after few of them", async () => {
  const inputs = await startProvider(0, 0);
  await expect(embed(letters.slice(0, 64))).rejects.toThrow();
  expect(inputs.length).toBeLessThanOrEqual(10);
});
