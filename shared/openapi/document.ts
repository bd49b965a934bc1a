import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import type { Auth, Route } from "../api/define-route.ts";
import { problemCodes } from "../api/problem-codes.ts";
import { routeErrors } from "./route-errors.ts";

type Json = Record<string, unknown>;

/** An OpenAPI 3.1 document, as far as we look into it. @see https://spec.openapis.org/oas/v3.1.1 */
export interface OpenapiDocument extends Json {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
  };
}

/** One operation of it. */
export interface OpenapiOperation extends Json {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security: readonly Json[];
  readonly parameters: readonly OpenapiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Json }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly $ref?: string;
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
      }
    >
  >;
}

/** A parameter of an operation. */
export interface OpenapiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

const security: Readonly<Record<Exclude<Auth, "none">, Json>> = {
  jwt: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token of the organisation's identity provider.",
  },
  "api-key": { type: "http", scheme: "bearer", bearerFormat: "swk_…", description: "A key of the tenant." },
  "embed-key": { type: "apiKey", in: "header", name: "X-Embed-Key" },
  "webhook-signature": {
    type: "apiKey",
    in: "header",
    name: "X-Webhook-Signature",
    description: "Hex HMAC-SHA256 of the raw body, keyed with the channel's secret.",
  },
};

/** Methods that OpenAPI names one by one where a route takes any. */
const anyMethods = ["get", "post", "put", "patch", "delete"] as const;

const shapes =
  (mode: "input" | "output", schemas: Readonly<Record<string, GenericSchema>>) => (schema: GenericSchema) => {
    const {
      $schema: _,
      $defs: __,
      ...shape
    } = toJsonSchema(schema, {
      target: "draft-2020-12",
      typeMode: mode,
      errorMode: "ignore",
      definitions: schemas,
      overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    }) as Json;
    return shape;
  };

function parametersOf(schema: GenericSchema | undefined, place: "path" | "query"): OpenapiParameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = shapes("input", {})(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(typeof description === "string" && { description }),
    schema: shape,
  }));
}

function headerParameters({ idempotency, streaming, method }: Route): OpenapiParameter[] {
  const key: OpenapiParameter = {
    name: "Idempotency-Key",
    in: "header",
    required: idempotency === "required",
    description: "The same for every retry: the first answer is given again. Kept for 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  };
  const place: OpenapiParameter = {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description: "The last frame that was seen: what follows it is sent.",
    schema: { type: "string" },
  };
  return [...(idempotency === "none" ? [] : [key]), ...(streaming && method === "GET" ? [place] : [])];
}

const asContent = (schema: Json, mediaTypes: readonly string[]) =>
  Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: type === "application/json" ? schema : { type: "string" } }]),
  );

const errorResponse = (mediaType: string, name: string) => ({
  description: "Something is wrong",
  content: { [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } } },
});

const isOpenai = ({ path }: Route) => path.startsWith("/openai/");

function errorResponses(route: Route) {
  const byStatus = Map.groupBy(routeErrors(route), (code) => problemCodes[code].status);
  const $ref = `#/components/responses/${isOpenai(route) ? "OpenaiError" : "Problem"}`;
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { $ref, description: codes.map((code) => `\`${code}\``).join(", ") },
    ]),
  );
}

function operationOf(route: Route, schemas: Readonly<Record<string, GenericSchema>>, method: string): OpenapiOperation {
  const { id, group, summary, description, capability, scope, auth, body, replies, headers = {} } = route;
  const needs = [capability && `Needs \`${capability}\`.`, scope && `Needs the scope \`${scope}\`.`];
  const text = [description, ...needs].filter(Boolean).join(" ");
  const { mediaTypes = ["application/json"] } = route;
  return {
    operationId:
      route.method === "ANY" && method !== "get" ? `${id}By${method[0]?.toUpperCase()}${method.slice(1)}` : id,
    tags: [group],
    summary,
    ...(text && { description: text }),
    ...("deprecation" in headers && { deprecated: true }),
    security: auth === "none" ? [] : [{ [auth]: [] }],
    parameters: [
      ...parametersOf(route.params, "path"),
      ...parametersOf(route.query, "query"),
      ...headerParameters(route),
    ],
    ...(body && {
      requestBody: { required: true, content: asContent(shapes("input", {})(body), ["application/json"]) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(replies).map(([status, schema]) => [
          status,
          {
            description: Number(status) < 300 ? "Success" : Number(status) < 400 ? "Elsewhere" : "As described",
            ...(schema && { content: asContent(shapes("output", schemas)(schema), mediaTypes) }),
          },
        ]),
      ),
      ...errorResponses(route),
    },
  };
}

const problem: Json = {
  type: "object",
  description: "RFC 9457. `type` is the address of a page that explains the error.",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    request_id: { type: "string" },
    code: { type: "string", enum: Object.keys(problemCodes) },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          path: { type: "string" },
          location: { type: "string", enum: ["body", "query", "path", "header"] },
          code: { type: "string" },
          message: { type: "string" },
        },
        required: ["path", "location", "code", "message"],
      },
    },
  },
  required: ["type", "title", "status", "detail", "request_id", "code"],
};

const openaiError: Json = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] },
      },
      required: ["message", "type", "param", "code"],
    },
  },
  required: ["error"],
};

/**
 * The service's interface as an OpenAPI document, made from the very contracts that validate.
 * @param schemas of resources, by the names they are to have in it
 */
export function openapiDocument(
  routes: readonly Route[],
  schemas: Readonly<Record<string, GenericSchema>>,
  version: string,
): OpenapiDocument {
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const route of routes) {
    // OpenAPI has no parameter that takes the rest of a path.
    const path = route.path.replace("+}", "}");
    paths[path] ??= {};
    const methods = route.method === "ANY" ? anyMethods : [route.method.toLowerCase()];
    for (const method of methods) paths[path][method] = operationOf(route, schemas, method);
  }
  const described = Object.entries(schemas).map(([name, schema]) => {
    const { [name]: _, ...others } = schemas;
    return [name, shapes("output", others)(schema)];
  });
  return {
    openapi: "3.1.1",
    info: {
      title: "Switchboard",
      version,
      description:
        "A multi-tenant conversational assistant. Every response carries `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (epoch seconds) and `x-request-id`.",
    },
    servers: [{ url: "/" }],
    tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: security,
      responses: {
        Problem: errorResponse("application/problem+json", "Problem"),
        OpenaiError: errorResponse("application/json", "OpenaiError"),
      },
      schemas: { ...Object.fromEntries(described), Problem: problem, OpenaiError: openaiError },
    },
  };
}
