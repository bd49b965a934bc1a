import { defineItem } from "../../define-item.ts";

export const languageModelItem = defineItem({
  type: "language-model",
  keys: {
    languageModel: (tenant: string, name: string) => ({ pk: `${tenant}#models`, sk: name }),
  },
  recordsActor: ["put", "update", "delete"],
  processors: ["cascade"],
  audit: {
    kind: "language_model",
    id: "name",
    values: ["provider", "model_id", "inputs", "context_tokens", "price", "group_ids"],
    redacted: ["sealed_key"],
  },
  erasedWith: "tenant",
});
