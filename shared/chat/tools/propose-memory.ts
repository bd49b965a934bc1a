import * as v from "valibot";
import { MemoryCategory } from "../../api/memory/memories.ts";
import { proposeMemories } from "../propose-memories.ts";
import { defineTool, noMemories } from "./tool.ts";

export const proposeMemory = defineTool({
  name: "propose_memory",
  title: "Proposing to remember",
  description:
    "Proposes to remember a lasting fact or wish of the person you talk to, in one sentence. They decide whether it is kept.",
  input: v.object({
    text: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500)),
    category: v.optional(MemoryCategory, "other"),
  }),
  async run(turn, fact) {
    if (!turn.remembers) return { result: { proposed: false, reason: noMemories } };
    const events = await proposeMemories(turn, [fact]);
    return { result: { proposed: events.length > 0 }, events };
  },
});
