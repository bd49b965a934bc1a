import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import type { ShownArgument } from "../../api/embed/tool-card.ts";
import type { ConsentExtent, ToolMode } from "../../api/tools/tool-server.ts";
import type { RunEvent } from "../../runs/events.ts";
import type { CallResumption } from "../../tools/mcp/mcp-target.ts";
import type { StartedSignIn } from "../../tools/oauth/sign-in-store.ts";
import type { AskedQuestions } from "../../tools/questions.ts";
import type { Turn } from "../turn.ts";

/** Version of an MCP server's tool that a persona uses, identified by the hash of its definition. */
export interface PinnedTool {
  readonly persona_id: string;
  readonly server_id: string;
  /** Name of the tool on its server, without the prefix for the model. */
  readonly tool: string;
  readonly definition_hash: string;
}

/** Decision of a person on a call: what was approved, or answers to the questions of an earlier call of the tool. */
export interface DecidedCall {
  readonly approvalId: string | null;
  readonly resumption?: CallResumption;
}

/** Function that the model can call. It runs with the permissions of the user. */
export interface Tool {
  readonly name: string;
  /** Title of the step that clients show while the tool runs. */
  readonly title: string;
  /** Declaration of the function in model calls. */
  readonly definition: LanguageModelV4FunctionTool;
  readonly input: v.GenericSchema;
  /**
   * True if the tool changes data or sends data to another system. If the model has read untrusted text, the user must
   * confirm the call.
   */
  readonly hasEffect: boolean;
  /**
   * Returns whether this call has an effect, for tools where it depends on the input. Takes precedence over
   * `hasEffect`.
   */
  hasEffectOf?(turn: Turn, input: unknown): boolean;
  readonly mode: ToolMode;
  /** True if the tool can run concurrently with other calls. */
  readonly isParallel: boolean;
  /** Identity of the tool on its MCP server; absent for built-in tools. */
  readonly pinned?: PinnedTool;
  /** True for a tool that only reads or stores data of its own turn, so that its calls never need consent. */
  readonly isInternal?: boolean;
  /** True if the user has already agreed to all calls of the tool in this conversation. */
  readonly isConsented?: boolean;
  /** Longest extent for which the user's consent is remembered; absent for built-in tools. */
  readonly remember?: ConsentExtent;
  /** Returns true if a call with these arguments is refused anyway, so that it needs no consent. */
  isRefused?(input: unknown): boolean;
  /** Returns the arguments of a call in words, for a visitor who is asked to agree to it; absent for built-in tools. */
  shownArguments?(input: unknown): ShownArgument[];
  /** Maximum length of a result in the prompt, in characters. */
  readonly maxResultCharacters?: number;
  /** Maximum duration of a call, for tools of other systems. */
  readonly timeoutMs?: number;
  /** Returns true if an earlier call has an unknown outcome, so that the user must agree to another one. */
  hasUnresolvedCall?(): boolean;
  /** Returns true if the user has to sign in to the server before the first call. */
  needsSignIn?(): boolean;
  /** Starts the sign-in that the run pauses for. */
  startSignIn?(ttlSeconds: number): Promise<StartedSignIn>;
  /**
   * Executes the tool.
   * @param input validated input
   * @param hasReadUntrusted true if the model has read untrusted text before the call
   * @param decided decision of a person, if the call needed one
   * @throws ServiceError
   */
  run(
    turn: Turn,
    input: unknown,
    hasReadUntrusted: boolean,
    onProgress: (message: string) => void,
    decided?: DecidedCall,
  ): Promise<ToolOutcome>;
}

export interface ToolOutcome {
  /** Value that the model gets as JSON; a string is sent unchanged. */
  readonly result: unknown;
  readonly events?: readonly RunEvent[];
  /** True if the result is an error that the tool reports. */
  readonly isFailed?: boolean;
  readonly isOutcomeUnknown?: boolean;
  /** Questions to the user. After the answers, the call is repeated with them. */
  readonly question?: AskedQuestions;
}

/** Connected tools of MCP servers. They hold open sessions, so they are not part of the serialized turn. */
export interface AttachedTools {
  readonly tools: readonly Tool[];
  /** Note for the model about earlier calls with an unknown outcome; empty if there are none. */
  readonly note: string;
  close(): Promise<void>;
}

export const memoryDisabledReason = "Memories are disabled for this organization.";

interface ToolDefinition<Input extends v.GenericSchema> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly hasEffect?: boolean;
  hasEffectOf?(turn: Turn, input: v.InferOutput<Input>): boolean;
  run(turn: Turn, input: v.InferOutput<Input>, hasReadUntrusted: boolean, decided?: DecidedCall): Promise<ToolOutcome>;
}

/** Creates a tool. Its declaration for the model and its input validation come from the same schema. */
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
    run: (turn, validInput, hasReadUntrusted, _, decided) =>
      definition.run(turn, validInput as v.InferOutput<Input>, hasReadUntrusted, decided),
  };
}
