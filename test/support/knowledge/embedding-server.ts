import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extractTerms } from "#shared/lib/language/terms.ts";

/** Words with the same meaning; the first stands for the others. */
const synonyms: readonly (readonly string[])[] = [
  ["leave", "vacation", "holiday", "pto"],
  ["car", "automobile", "vehicle"],
  ["buy", "purchase", "acquire"],
  ["repair", "fix", "restore"],
  ["doctor", "physician"],
  ["salary", "pay", "wage"],
];
const concepts = new Map(
  synonyms.flatMap(([first = "", ...others]) =>
    [first, ...others].flatMap((word) => extractTerms(word).map((term) => [term, first] as const)),
  ),
);

/** Cache of vectors by term: without it, hashing would take most of the time of a large index. */
const randomVectors = new Map<string, readonly number[]>();

/** Returns a vector of pseudorandom numbers that is determined by a text. */
function toRandomVector(text: string, dimensions: number): readonly number[] {
  const cacheKey = `${dimensions} ${text}`;
  const vector = randomVectors.get(cacheKey) ?? createRandomVector(text, dimensions);
  randomVectors.set(cacheKey, vector);
  return vector;
}

function createRandomVector(text: string, dimensions: number): number[] {
  const values: number[] = [];
  for (let block = 0; values.length < dimensions; block++) {
    values.push(
      ...createHash("sha512")
        .update(`${block} ${text}`)
        .digest()
        .map((byte) => byte),
    );
  }
  return values.slice(0, dimensions).map((byte) => byte / 127.5 - 1);
}

/**
 * Returns a deterministic vector of a text: the sum of the vectors of its concepts. It simulates a model that knows
 * only the synonyms above.
 */
export function toVector(text: string, dimensions = 256): number[] {
  const sum = new Array<number>(dimensions).fill(0);
  for (const term of new Set(extractTerms(text).map((word) => concepts.get(word) ?? word))) {
    for (const [index, value] of toRandomVector(term, dimensions).entries()) sum[index] = (sum[index] ?? 0) + value;
  }
  return sum;
}

/** Embedding server that speaks OpenAI's protocol. */
export interface EmbeddingServer {
  readonly baseUrl: string;
  /** Number of texts that were embedded. */
  embedded: number;
  /** Answers every request with status 503 while it is true. */
  isBroken: boolean;
  close(): void;
}

/**
 * Starts an embedding server on a free port.
 * @param embed model of the server; by default the sum of concepts
 */
export async function startEmbeddingServer(
  embed: (texts: readonly string[]) => Promise<number[][]> = async (texts) => texts.map((text) => toVector(text)),
): Promise<EmbeddingServer> {
  const state = { embedded: 0, isBroken: false };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (state.isBroken) return response.writeHead(503).end();
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
    state.embedded += input.length;
    const data = (await embed(input)).map((embedding, index) => ({ index, embedding }));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, { baseUrl: `http://127.0.0.1:${port}/v1`, close: () => void server.close() });
}
