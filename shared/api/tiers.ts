import * as v from "valibot";

/** How much work an answer gets, from one model pass to the full pipeline. */
export const tiers = ["QUICK", "THINKING", "RESEARCH", "THOUGHT_PARTNER"] as const;

/** One of the four tiers. */
export const Tier = v.picklist(tiers);

/** One of the four tiers. */
export type Tier = v.InferOutput<typeof Tier>;

/** What an omitted tier means. */
export const defaultTier: Tier = "THINKING";
