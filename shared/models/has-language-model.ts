import { tiers } from "../api/tiers.ts";
import { selectModel } from "./model.ts";
import { getModel } from "./model-table.ts";

/** Returns true unless the built-in model, which only quotes sources, answers in every tier. */
export const hasLanguageModel = () =>
  tiers.some((tier) => getModel(selectModel({ tier, model: null })).provider.type !== "builtin");
