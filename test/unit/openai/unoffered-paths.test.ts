import { expect, it } from "vitest";
import { findReplacement } from "#shared/openai/unoffered-paths.ts";

it.each([
  ["/openai/models", "/openai/v1"],
  ["/openai/v1/responses/resp_1/steps", "POST /openai/v1/responses"],
  ["/openai/v1/threads/t/runs", "previous_response_id"],
  ["/openai/v1/files", "file_data"],
  ["/openai/v1/vector_stores", "/v1/knowledge/collections"],
  ["/openai/v1/audio/speech", "input_audio"],
  ["/openai/v1/batches", "Idempotency-Key"],
  ["/openai/v1/images/generations", "call the provider directly"],
])("error for the OpenAI path %s that is not offered names %s", (path, replacement) => {
  expect(findReplacement(path)).toContain(replacement);
});

it("error for a path that OpenAI does not have names no replacement", () => {
  expect(findReplacement("/openai/v1/unknown")).toBeUndefined();
});
