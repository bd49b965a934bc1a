/** Content of a request as a model sees it, in a form that requests of both APIs have in common. */
export interface Facts {
  readonly system: string;
  /** Texts of messages with their roles, in order. */
  readonly texts: readonly (readonly [role: string, text: string])[];
  readonly media: readonly string[];
  readonly thinking: readonly string[];
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[];
  readonly results: readonly (readonly [id: string, text: string])[];
  readonly tools: readonly { readonly name: string; readonly schema: unknown }[];
  readonly schema: unknown;
  readonly settings: Readonly<Record<string, unknown>>;
}

// biome-ignore lint/suspicious/noExplicitAny: requests of clients by other authors have any shape
type Json = any;

const toList = (content: Json): Json[] => (typeof content === "string" ? [{ type: "text", text: content }] : content);

const textOf = (content: Json): string =>
  toList(content ?? [])
    .filter(({ type }) => type === "text")
    .map(({ text }) => text)
    .join("\n\n");

/** Describes an address by its length: a guardrail could redact parts of a long value in the answer. */
const describeUrl = (kind: string, url: string) =>
  url.startsWith("data:") ? `${kind} ${url.split(",")[0]} ${url.length}` : `${kind} ${url}`;

/** Returns the facts of a request to OpenAI's chat completions, without the first message, which is the persona's. */
export function factsOfChat(body: Json): Facts {
  const messages: Json[] = body.messages.slice(1);
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  return {
    system: messages.flatMap(({ role, content }) => (role === "system" ? [textOf(content)] : [])).join("\n\n"),
    texts: messages.flatMap(({ role, content }) => {
      const text = role === "system" || role === "tool" ? "" : textOf(content);
      return text ? [[role, text] as const] : [];
    }),
    media: parts.flatMap(({ type, image_url, file }) =>
      type === "image_url"
        ? [describeUrl("image", image_url.url)]
        : type === "file"
          ? [describeUrl("document", file.file_data)]
          : [],
    ),
    thinking: messages.flatMap(({ reasoning_content }) => (reasoning_content ? [reasoning_content] : [])),
    calls: messages.flatMap(({ tool_calls = [] }) =>
      tool_calls.map(({ id, function: called }: Json) => [id, called.name, JSON.parse(called.arguments)]),
    ),
    results: messages.flatMap(({ role, tool_call_id, content }) =>
      role === "tool" ? [[tool_call_id, textOf(content)] as const] : [],
    ),
    tools: (body.tools ?? []).map(({ function: { name, description, parameters, strict } }: Json) => ({
      name,
      schema: parameters,
      ...(description && { description }),
      ...(strict && { strict }),
    })),
    schema: body.response_format?.json_schema?.schema ?? null,
    settings: {
      max_tokens: body.max_completion_tokens,
      temperature: body.temperature,
      top_p: body.top_p,
      top_k: body.top_k,
      stop: body.stop,
      user: body.user,
      effort: body.reasoning_effort,
      tool_choice: body.tool_choice?.function?.name ?? body.tool_choice,
      is_serial: body.parallel_tool_calls === false || undefined,
    },
  };
}

/** Effort of a budget of thinking, as `shared/openai/README.md` documents it. */
const toEffort = (tokens: number) => (tokens <= 4_096 ? "low" : tokens <= 16_384 ? "medium" : "high");

const toSource = (kind: string, { type, media_type, data, url }: Json) =>
  describeUrl(kind, type === "url" ? url : `data:${media_type};base64,${data}`);

/** Returns the facts of a request to Anthropic's messages API. */
export function factsOfMessage(body: Json): Facts {
  const blocks: Json[] = body.messages.flatMap(({ role, content }: Json) =>
    toList(content).map((block) => ({ role, ...block })),
  );
  const media = (list: Json[]): string[] =>
    list.flatMap(({ type, source, content }) => {
      if (type === "tool_result" && Array.isArray(content)) return media(content);
      if (type === "image") return [toSource("image", source)];
      return type === "document" && source.type !== "text" ? [toSource("document", source)] : [];
    });
  const texts: Json[] = body.messages.map(({ role, content }: Json) => [
    role,
    toList(content)
      .flatMap(({ type, text, title, source }) => {
        if (type === "document" && source.type === "text") return [title ? `${title}\n${source.data}` : source.data];
        return type === "text" ? [text] : [];
      })
      .join(role === "assistant" ? "" : "\n\n"),
  ]);
  const choice = body.tool_choice;
  return {
    system: [
      body.system ? textOf(body.system) : "",
      ...texts.flatMap(([role, text]) => (role === "system" ? [text] : [])),
    ]
      .filter(Boolean)
      .join("\n\n"),
    texts: texts.filter(([role, text]) => role !== "system" && text),
    media: media(blocks),
    // Thinking goes back to a model with the calls that it led to.
    thinking: body.messages.flatMap(({ content }: Json) => {
      const list = toList(content);
      return list.some(({ type }) => type === "tool_use") ? list.flatMap(({ thinking }) => thinking ?? []) : [];
    }),
    calls: blocks.flatMap(({ type, id, name, input }) => (type === "tool_use" ? [[id, name, input] as const] : [])),
    results: blocks.flatMap(({ type, tool_use_id, content, is_error }) =>
      type === "tool_result" ? [[tool_use_id, `${is_error ? "Error: " : ""}${textOf(content)}`] as const] : [],
    ),
    tools: (body.tools ?? []).map(({ name, description, input_schema, strict }: Json) => ({
      name,
      schema: input_schema,
      ...(description && { description }),
      ...(strict && { strict }),
    })),
    schema: body.output_config?.format?.schema ?? null,
    settings: {
      max_tokens: body.max_tokens,
      temperature: body.temperature,
      top_p: body.top_p,
      top_k: body.top_k || undefined,
      stop: body.stop_sequences?.length ? body.stop_sequences : undefined,
      user: body.metadata?.user_id,
      effort:
        body.output_config?.effort ??
        (body.thinking?.type === "enabled" ? toEffort(body.thinking.budget_tokens) : undefined),
      tool_choice: choice?.name ?? (choice?.type === "any" ? "required" : choice?.type),
      is_serial: choice?.disable_parallel_tool_use || undefined,
    },
  };
}
