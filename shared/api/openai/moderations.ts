import * as v from "valibot";
import { routeGroup } from "../define-route.ts";

const MAX_INPUTS = 32;

const InputPart = v.variant("type", [
  v.looseObject({ type: v.literal("text"), text: v.string() }),
  v.looseObject({ type: v.literal("image_url"), image_url: v.looseObject({ url: v.string() }) }),
]);

/** Body of `POST /openai/v1/moderations`. */
export const ModerationRequest = v.strictObject({
  input: v.union(
    [
      v.string(),
      v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_INPUTS)),
      v.pipe(v.array(InputPart), v.minLength(1), v.maxLength(MAX_INPUTS)),
    ],
    "must be a string, a list of strings or a list of text parts",
  ),
  model: v.nullish(v.string()),
});
export type ModerationRequest = v.InferOutput<typeof ModerationRequest>;

const route = routeGroup({ group: "openai", auth: "api-key" });

export const createModerationRoute = route("POST /openai/v1/moderations", {
  id: "createModeration",
  scope: "chat.completions",
  idempotency: "none",
  body: ModerationRequest,
  replies: {
    200: v.object({
      id: v.string(),
      model: v.string(),
      results: v.array(
        v.object({
          flagged: v.boolean(),
          categories: v.record(v.string(), v.boolean()),
          category_scores: v.record(v.string(), v.number()),
          category_applied_input_types: v.record(v.string(), v.array(v.string())),
        }),
      ),
    }),
  },
  errors: ["unavailable"],
  summary: "Classify texts",
  description:
    "Compatible with the moderations API of OpenAI. The guardrail of the tenant's policy checks the texts. The categories `injection`, `secrets` and `personal-data` are additions.",
});
