import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { ToolMode } from "../../api/tools/tool-server.ts";
import type { ToolName } from "../../api/tools.ts";
import type { RunEvent } from "../../runs/events.ts";
import type { CallResumption } from "../../tools/mcp/mcp-target.ts";
import type { StartedSignIn } from "../../tools/oauth/sign-in-store.ts";
import type { AskedQuestions } from "../../tools/questions.ts";
import type { Turn } from "../turn.ts";

/** Tool of a server, as a persona uses it. */
export interface PinnedTool {
  readonly persona_id: string;
  readonly server_id: string;
  /** Name of the tool, as the server knows it. */
  readonly tool: string;
  readonly definition_hash: string;
}

/** Function that the model can call; it acts with the permissions of the user. */
export interface Tool {
  readonly name: string;
  /** Title of the step that clients show while the tool runs. */
  readonly title: string;
  /** Declaration of the tool in model calls. */
  readonly definition: LanguageModelV4FunctionTool;
  readonly input: v.GenericSchema;
  /** True if the tool changes data. If the model has read untrusted text, the user must confirm the call. */
  readonly hasEffect: boolean;
  /** Tells whether one call has an effect, if only some have. */
  hasEffectOf?(turn: Turn, input: unknown): boolean;
  /** Consent that a call needs. */
  readonly mode: ToolMode;
  /** True if calls may run at the same time as others. */
  readonly isParallel: boolean;
  /** Tool of a server that this one stands for. */
  readonly pinned?: PinnedTool;
  /** True for a tool that only stores its input in what the service records of the turn, so that no policy holds it back. */
  readonly isInternal?: boolean;
  /** Tells whether the user has agreed to calls before. */
  readonly isConsented?: boolean;
  /** Length at which a result is cut off. */
  readonly maxResultCharacters?: number;
  /** Maximum duration of a call of another system. */
  readonly timeoutMs?: number;
  /** Tells whether an earlier call may have taken effect, so that the user must agree to another one. */
  hasUnresolvedCall?(): boolean;
  /** Tells whether the user has to sign in to the server before a call. */
  needsSignIn?(): boolean;
  /** Starts the sign-in for which a run waits. */
  startSignIn?(approvalId: string, ttlSeconds: number): Promise<StartedSignIn>;
  /**
   * Executes the tool.
   * @param input validated input
   * @param hasReadUntrusted true if the model has read text of others before the call
   * @throws ServiceError
   */
  run(
    turn: Turn,
    input: unknown,
    hasReadUntrusted: boolean,
    onProgress: (message: string) => void,
    resumption?: CallResumption,
  ): Promise<ToolOutcome>;
}

export interface ToolOutcome {
  /** Result for the model, serializable as JSON. */
  readonly result: unknown;
  readonly events?: readonly RunEvent[];
  /** True if the tool reports an error as its result. */
  readonly isFailed?: boolean;
  readonly isOutcomeUnknown?: boolean;
  /** Questions to the user; the call is repeated with the answers. */
  readonly question?: AskedQuestions;
}

/** Tools of servers that a turn can call. They are connections and definitions, so they are no part of a stored turn. */
export interface AttachedTools {
  readonly tools: readonly Tool[];
  /** Text for the model about earlier calls; empty for none. */
  readonly note: string;
  close(): Promise<void>;
}

/** Explanation for the model if memories are disabled. */
export const memoryDisabledReason = "Memories are disabled for this organization.";

interface ToolDefinition<Input extends v.GenericSchema> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly hasEffect?: boolean;
  hasEffectOf?(turn: Turn, input: v.InferOutput<Input>): boolean;
  run(turn: Turn, input: v.InferOutput<Input>, hasReadUntrusted: boolean): Promise<ToolOutcome>;
}

/** Creates a tool whose declaration and input validation come from the same schema. */
export function defineTool<const Input extends v.GenericSchema>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, input, hasEffect = false, hasEffectOf } = definition;
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
    hasEffect,
    ...(hasEffectOf && { hasEffectOf: (turn, validInput) => hasEffectOf(turn, validInput as v.InferOutput<Input>) }),
    mode: "auto",
    isParallel: false,
    run: (turn, validInput, hasReadUntrusted) =>
      definition.run(turn, validInput as v.InferOutput<Input>, hasReadUntrusted),
  };
}
