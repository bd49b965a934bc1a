import { processor } from "#shared/changes/processor.ts";
import { rules } from "./rules.ts";

export const handler = processor(rules);
