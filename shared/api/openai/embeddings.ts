import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { EmbeddingList } from "./answers.ts";

const MAX_INPUTS = 2_048;

const Tokens = v.array(v.pipe(v.number(), v.integer()));

/** Body of `POST /openai/v1/embeddings`. */
export const EmbeddingRequest = v.strictObject({
  model: v.pipe(v.string(), v.minLength(1, "must not be empty")),
  input: v.union(
    [
      v.pipe(v.string(), v.minLength(1, "must not be empty")),
      v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_INPUTS)),
      v.pipe(Tokens, v.minLength(1)),
      v.pipe(v.array(Tokens), v.minLength(1), v.maxLength(MAX_INPUTS)),
    ],
    "must be a string, a list of strings, or tokens",
  ),
  encoding_format: v.nullish(v.picklist(["float", "base64"])),
  dimensions: v.nullish(v.pipe(v.number(), v.integer("must be a whole number"), v.minValue(1))),
  user: v.nullish(v.string()),
});
export type EmbeddingRequest = v.InferOutput<typeof EmbeddingRequest>;

const route = routeGroup({ group: "openai", auth: "api-key" });

export const createEmbeddingRoute = route("POST /openai/v1/embeddings", {
  id: "createEmbedding",
  scope: "chat.completions",
  idempotency: "none",
  body: EmbeddingRequest,
  replies: { 200: EmbeddingList },
  errors: ["not_found", "quota_exceeded", "model_error", "model_overloaded", "unavailable", "timeout"],
  summary: "Create embeddings",
  description: "Compatible with the embeddings API of OpenAI. `model` is the id of the configured embedding model.",
});
