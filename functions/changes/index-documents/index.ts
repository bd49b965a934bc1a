import { processor } from "#shared/changes/processor.ts";
import { indexRules } from "./rules.ts";

export const handler = processor(indexRules);
