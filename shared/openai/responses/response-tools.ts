import type { ChatCompletionRequest } from "../../api/openai/openai.ts";
import type { ResponseRequest } from "../../api/openai/responses.ts";
import { invalidField } from "../../lib/errors.ts";

type Tool = NonNullable<ResponseRequest["tools"]>[number];
type CallableTool = Extract<Tool, { type: "function" | "custom" }>;

/** Tool of a request that the model can call. */
interface OfferedTool {
  /** Tool name that is sent to the model: with its namespace as prefix, if it has one. */
  readonly chatName: string;
  readonly namespace?: string;
  readonly tool: CallableTool;
}

/**
 * Returns the tool name that is sent to the model. Chat completions have no namespaces, so a namespace becomes a
 * prefix.
 */
export const toChatName = (name: string, namespace?: string | null) => (namespace ? `${namespace}__${name}` : name);

function toOfferedTools({ tools }: ResponseRequest): OfferedTool[] {
  return (tools ?? []).flatMap((tool): OfferedTool[] => {
    switch (tool.type) {
      case "function":
      case "custom":
        return [{ chatName: tool.name, tool }];
      case "namespace": {
        const { name: namespace, tools: members } = tool;
        return members.map((member) => ({ chatName: toChatName(member.name, namespace), namespace, tool: member }));
      }
      default:
        return [];
    }
  });
}

/** Returns the description of a custom tool, followed by the grammar of its input, if it has one. */
function describeCustomTool({ description, format }: Extract<CallableTool, { type: "custom" }>): string {
  const { syntax, definition } = (format ?? {}) as { syntax?: string; definition?: string };
  const grammar = definition ? `The input must match this ${syntax ?? "lark"} grammar:\n${definition}` : "";
  return [description, grammar].filter(Boolean).join("\n\n");
}

/**
 * Parameters of the function that is offered in place of a custom tool, because not every provider has custom tools.
 */
const customToolParameters = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input of the tool, as text." } },
  required: ["input"],
  additionalProperties: false,
};

function toChatTool({ chatName: name, tool }: OfferedTool) {
  if (tool.type === "custom") {
    return {
      type: "function" as const,
      function: { name, description: describeCustomTool(tool), parameters: customToolParameters },
    };
  }
  const { type, ...definition } = tool;
  return { type, function: { ...definition, name } };
}

/** Converts the input of a custom tool to the arguments of the function that is offered in its place. */
export const toCustomArguments = (input: string) => JSON.stringify({ input });

/**
 * Returns the input text from the arguments of a custom tool's function; the arguments unchanged if they do not have
 * the expected form.
 */
function toCustomInput(argumentsJson: string): string {
  try {
    const { input } = JSON.parse(argumentsJson);
    return typeof input === "string" ? input : argumentsJson;
  } catch {
    return argumentsJson;
  }
}

/** Tool call in the format of the responses API. */
type CalledTool =
  | { readonly type: "function_call"; readonly name: string; readonly namespace?: string; readonly arguments: string }
  | { readonly type: "custom_tool_call"; readonly name: string; readonly namespace?: string; readonly input: string };

/**
 * Converts a tool call of a chat completion to a call of the request's tool with that name.
 * @param chatName name that the model used, with the namespace as prefix
 */
export function toCalledTool(request: ResponseRequest, chatName: string, argumentsJson: string): CalledTool {
  const offered = toOfferedTools(request).find((candidate) => candidate.chatName === chatName);
  const called = {
    name: offered?.tool.name ?? chatName,
    ...(offered?.namespace !== undefined && { namespace: offered.namespace }),
  };
  if (offered?.tool.type !== "custom") return { type: "function_call", ...called, arguments: argumentsJson };
  return { type: "custom_tool_call", ...called, input: toCustomInput(argumentsJson) };
}

/** Returns the tools of a request except web search tools, which run at OpenAI and are not offered to the model. */
export const getOfferedTools = ({ tools }: ResponseRequest) =>
  (tools ?? []).filter(({ type }) => !type.startsWith("web_search"));

/**
 * Converts the tools and the tool choice of a request. Web search is not supported; it is dropped if the request has
 * other tools.
 * @throws ServiceError `validation_failed` if web search is the only tool
 */
export function toChatTools(request: ResponseRequest): Pick<ChatCompletionRequest, "tools" | "tool_choice"> {
  const { tools, tool_choice: choice } = request;
  const offered = toOfferedTools(request);
  if (tools?.length && offered.length === 0) {
    throw invalidField(
      "tools.0.type",
      "unsupported_parameter",
      "the model has no web search here; offer functions, or no tools",
    );
  }
  const chatTools = offered.map(toChatTool);
  if (typeof choice !== "object" || !choice) return { tools: chatTools, tool_choice: choice };
  if (choice.type !== "allowed_tools") {
    const name = toChatName(choice.name, choice.namespace);
    return { tools: chatTools, tool_choice: { type: "function", function: { name } } };
  }
  const allowed = new Set(choice.tools.map(({ name, namespace }) => toChatName(name, namespace)));
  return { tools: chatTools.filter((tool) => allowed.has(tool.function.name)), tool_choice: choice.mode };
}
