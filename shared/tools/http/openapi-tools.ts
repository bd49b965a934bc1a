import * as v from "valibot";
import { invalidField } from "../../lib/errors.ts";
import { resolvePointer, SchemaError } from "../expand-schema.ts";

/** Definition of a tool that sends one HTTP request; input of `toListedTools`. */
interface ActionDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  readonly request: ActionRequest;
}

/** Request that an action sends, with the place of each argument. */
interface ActionRequest {
  readonly method: string;
  /** Path relative to the URL of the server, with `{name}` for arguments. */
  readonly path: string;
  /**
   * Places of arguments by name. The argument with the place `body` is the JSON body. Arguments without a place are
   * fields of the JSON body.
   */
  readonly places: Readonly<Record<string, "path" | "query" | "header" | "body">>;
}

const methods = ["get", "put", "post", "delete", "patch", "head"] as const;

const Parameter = v.looseObject({
  name: v.string(),
  in: v.picklist(["path", "query", "header", "cookie"]),
  required: v.optional(v.boolean(), false),
  description: v.optional(v.string()),
  schema: v.optional(v.looseObject({}), {}),
});

const Operation = v.looseObject({
  operationId: v.optional(v.string()),
  summary: v.optional(v.string(), ""),
  description: v.optional(v.string(), ""),
  deprecated: v.optional(v.boolean(), false),
  parameters: v.optional(v.array(v.unknown()), []),
  requestBody: v.optional(v.unknown()),
});

const Document = v.looseObject({
  openapi: v.pipe(v.string(), v.regex(/^3\.[01]\./)),
  paths: v.record(v.string(), v.looseObject({})),
});
type Document = v.InferOutput<typeof Document>;

/** Returns the hints for a tool by its HTTP method: GET and HEAD only read, all others may be destructive. */
export const hintsOf = (method: string) => ({
  readOnlyHint: method === "GET" || method === "HEAD",
  destructiveHint: !["GET", "HEAD"].includes(method),
});

/** Returns the target of a `$ref`, or the value itself if it is not a reference. */
function dereference(document: Document, value: unknown): unknown {
  const { $ref } = (value ?? {}) as { readonly $ref?: unknown };
  return typeof $ref === "string" ? resolvePointer(document, $ref) : value;
}

/** Returns the schema of an operation's JSON body; null if it has none. */
function findBody(document: Document, requestBody: unknown) {
  const { content = {}, required = false } = (dereference(document, requestBody) ?? {}) as {
    readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>;
    readonly required?: boolean;
  };
  const type = Object.keys(content).find((name) => /^application\/(?:[\w.-]+\+)?json\b/.test(name));
  return type === undefined ? null : { schema: content[type]?.schema ?? {}, required };
}

function toAction(document: Document, method: string, path: string, shared: unknown, raw: unknown): ActionDefinition {
  const operation = v.parse(Operation, raw);
  const parameters = [...(Array.isArray(shared) ? shared : []), ...operation.parameters]
    .map((each) => v.parse(Parameter, dereference(document, each)))
    // An operation's own parameter replaces the one of its path.
    .filter(
      (each, index, all) =>
        all.findLastIndex(({ name, in: place }) => name === each.name && place === each.in) === index,
    )
    .filter((each) => each.in !== "cookie");
  const body = findBody(document, operation.requestBody);
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [name, { ...schema, ...(description && { description }) }]),
  );
  const required = parameters.filter((each) => each.required || each.in === "path").map(({ name }) => name);
  return {
    name: operation.operationId ?? `${method}_${path}`.replaceAll(/[^A-Za-z0-9_.-]+/g, "_"),
    ...(operation.summary && { title: operation.summary }),
    description: [operation.summary, operation.description].filter(Boolean).join("\n\n"),
    inputSchema: {
      type: "object",
      properties: { ...properties, ...(body && { body: body.schema }) },
      required: [...required, ...(body?.required ? ["body"] : [])],
    },
    annotations: hintsOf(method.toUpperCase()),
    request: {
      method: method.toUpperCase(),
      path,
      places: {
        ...Object.fromEntries(parameters.map(({ name, in: place }) => [name, place as "path"])),
        ...(body && { body: "body" as const }),
      },
    },
  };
}

/** Creates the entry for an operation that cannot be used; `toListedTools` skips it with the reason. */
const malformed = (name: string, reason: string) => ({ name, problem: reason });

/**
 * Converts the operations of an OpenAPI document of version 3.0 or 3.1.
 * @throws ServiceError `validation_failed` for any other document
 */
export function readOpenapi(raw: unknown): unknown[] {
  const parsed = v.safeParse(Document, raw);
  if (!parsed.success) {
    const message = "must be an OpenAPI document of version 3.0 or 3.1 in JSON";
    throw invalidField("openapi", "invalid_document", message);
  }
  const document = parsed.output;
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      if (item[method] === undefined) return [];
      try {
        return toAction(document, method, path, item.parameters, item[method]);
      } catch (error) {
        const reason = error instanceof SchemaError ? error.message : "its definition is malformed";
        return malformed(`${method.toUpperCase()} ${path}`, reason);
      }
    }),
  );
}
