import { processor } from "#shared/changes/processor.ts";
import { cascadeRules } from "./rules.ts";

export const handler = processor(cascadeRules);
