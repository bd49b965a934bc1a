import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { compareMeaning } from "#shared/evaluations/scoring/compare-meaning.ts";
import { type EmbeddingServer, startEmbeddingServer } from "#test/support/knowledge/embedding-server.ts";

const vectors: Readonly<Record<string, number[]>> = {
  "It costs 12 euros.": [1, 0],
  "Twelve euros.": [0.8, 0.6],
  "No.": [0, 1],
};

let provider: EmbeddingServer;
beforeAll(async () => {
  provider = await startEmbeddingServer(async (texts) => texts.map((text) => vectors[text] ?? []));
  vi.stubEnv("EMBEDDING_PROVIDER", "openai-compatible")
    .stubEnv("EMBEDDING_BASE_URL", provider.baseUrl)
    .stubEnv("EMBEDDING_ID", "small")
    .stubEnv("EMBEDDING_DIMENSIONS", "2")
    .stubEnv("EMBEDDING_API_KEY", "");
});
afterAll(() => {
  vi.unstubAllEnvs();
  provider.close();
});

it.each([
  ["Twelve euros.", 0.8, true, "0.800"],
  ["Twelve euros.", 0.81, false, "0.800"],
  ["No.", 0.5, false, "0.000"],
])(
  "compareMeaning() tells whether an answer means %j with a similarity of at least %d: %s, %s",
  async (text, min_similarity, passed, detail) => {
    expect(await compareMeaning("It costs 12 euros.", { text, min_similarity })).toEqual({ passed, detail });
  },
);
