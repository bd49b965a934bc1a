import { tiers } from "../api/tiers.ts";
import { selectModel } from "./model.ts";

/** Name of the model that `npm start` serves if no other one is configured. */
export const DEMO_MODEL = "demo";

/** Returns true unless the demo model, which only quotes sources, answers in every tier. */
export const hasLanguageModel = () => tiers.some((tier) => selectModel({ tier, model: null }) !== DEMO_MODEL);
