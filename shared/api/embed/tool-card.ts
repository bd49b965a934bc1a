import * as v from "valibot";
import { describe } from "../fields.ts";

const ShownArgument = v.object({
  label: v.string(),
  value: describe(
    v.union([v.string(), v.boolean(), v.null()]),
    "Null for an argument that the service sets to what the website's token says of the visitor.",
  ),
  bound: describe(
    v.optional(v.picklist(["visitor.sub", "visitor.email"])),
    "The value that the service sets: the id of the visitor, or the address. Absent for arguments of the assistant.",
  ),
});
export type ShownArgument = v.InferOutput<typeof ShownArgument>;

/** Call of a server's tool, as visitors see it: without its result, and with its arguments only if they have to agree. */
export const ToolCard = v.object({
  message_id: describe(v.string(), "The answer."),
  call_id: v.string(),
  title: v.string(),
  status: describe(
    v.picklist(["waiting", "running", "done", "failed", "unknown", "declined"]),
    "`waiting` for the visitor, who agrees or declines with `confirmEmbedToolCall`. `unknown`: no response arrived, and the call may have taken effect. `declined`: the call was not executed, because the visitor declined or did not answer in time.",
  ),
  approval_id: describe(v.optional(v.string()), "Only with the status `waiting`."),
  arguments: describe(v.optional(v.array(ShownArgument)), "The arguments of the call in words; only while it waits."),
  is_repeated: describe(
    v.optional(v.literal(true)),
    "True if an earlier call of the tool may have taken effect, because its response was lost; only while it waits.",
  ),
});
export type ToolCard = v.InferOutput<typeof ToolCard>;

/** Call of a tool for a visitor in a stored answer. */
export const EndedToolCard = v.pick(ToolCard, ["title", "status"]);
export type EndedToolCard = v.InferOutput<typeof EndedToolCard>;
