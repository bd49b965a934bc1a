import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { ToolName } from "../../api/tools.ts";
import type { RunEvent } from "../../runs/events.ts";
import type { Turn } from "../turn.ts";

/** Something the assistant can do beside speaking, under the rights of whoever asked. */
export interface Tool {
  readonly name: ToolName;
  /** What people see while it is at work. */
  readonly title: string;
  /** How the model is told about it. */
  readonly definition: LanguageModelV4FunctionTool;
  readonly input: v.GenericSchema;
  /**
   * Does it.
   * @param input that fits the schema
   * @throws ServiceError
   */
  run(turn: Turn, input: unknown): Promise<ToolOutcome>;
}

/** What came of a tool. */
export interface ToolOutcome {
  /** What the model is told, as JSON. */
  readonly result: unknown;
  /** What people are shown. */
  readonly events?: readonly RunEvent[];
}

/** Why nothing is remembered, in words for the model. */
export const noMemories = "The organisation keeps no memories.";

interface ToolDefinition<Input extends v.GenericSchema> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  run(turn: Turn, input: v.InferOutput<Input>): Promise<ToolOutcome>;
}

/** Completes a tool from its schema: what the model is told of its input is what its input is checked by. */
export function defineTool<const Input extends v.GenericSchema>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, input } = definition;
  return {
    name,
    title,
    definition: {
      type: "function",
      name,
      description,
      inputSchema: toJsonSchema(input, { errorMode: "ignore" }) as LanguageModelV4FunctionTool["inputSchema"],
    },
    input,
    run: (turn, given) => definition.run(turn, given as v.InferOutput<Input>),
  };
}
