import * as v from "valibot";

/** Processing tiers of a reply, from a single model call to the full pipeline. */
export const tiers = ["QUICK", "THINKING", "RESEARCH", "THOUGHT_PARTNER"] as const;

export const Tier = v.picklist(tiers);
export type Tier = v.InferOutput<typeof Tier>;

/** Tier that applies if a request omits it. */
export const defaultTier: Tier = "THINKING";
