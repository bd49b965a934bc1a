import { toJsonSchema } from "@valibot/to-json-schema";
import type { GenericSchema } from "valibot";
import { type Auth, isOpenaiRoute, type Route } from "../api/define-route.ts";
import { problemCodes } from "../api/problem-codes.ts";
import { routeErrors } from "./route-errors.ts";

type Json = Record<string, unknown>;

/** OpenAPI 3.1 document, as far as the documentation page reads it. @see https://spec.openapis.org/oas/v3.1.1 */
export interface OpenapiDocument extends Json {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenapiOperation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
  };
}

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
    description: "A JSON Web Token issued by your identity provider.",
  },
  "api-key": { type: "http", scheme: "bearer", bearerFormat: "swk_…", description: "An API key of the tenant." },
  "embed-key": { type: "apiKey", in: "header", name: "X-Embed-Key" },
  "webhook-signature": {
    type: "apiKey",
    in: "header",
    name: "X-Webhook-Signature",
    description: "The HMAC-SHA256 of the raw request body in hex, keyed with the channel's secret.",
  },
};

/** Methods to list for an `ANY` route, because OpenAPI has no wildcard. */
const anyMethods = ["get", "post", "put", "patch", "delete"] as const;

/** Converts schemas to JSON Schema, with references for the given named ones. */
const toJsonSchemaWith =
  (mode: "input" | "output", schemas: Readonly<Record<string, GenericSchema>>) => (schema: GenericSchema) => {
    const {
      $schema: _,
      $defs: __,
      ...jsonSchema
    } = toJsonSchema(schema, {
      target: "draft-2020-12",
      typeMode: mode,
      errorMode: "ignore",
      definitions: schemas,
      overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    }) as Json;
    return jsonSchema;
  };

function toParameters(schema: GenericSchema | undefined, location: "path" | "query"): OpenapiParameter[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = toJsonSchemaWith("input", {})(schema) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...jsonSchema }]) => ({
    name,
    in: location,
    required: location === "path" || required.includes(name),
    ...(typeof description === "string" && { description }),
    schema: jsonSchema,
  }));
}

function headerParameters({ idempotency, streaming, method }: Route): OpenapiParameter[] {
  const idempotencyKey: OpenapiParameter = {
    name: "Idempotency-Key",
    in: "header",
    required: idempotency === "required",
    description:
      "A unique key for this operation. Send the same key with every retry: retries return the original response. Keys expire after 24 hours.",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  };
  const lastEventId: OpenapiParameter = {
    name: "Last-Event-ID",
    in: "header",
    required: false,
    description: "The id of the last event received. The stream resumes after it.",
    schema: { type: "string" },
  };
  return [...(idempotency === "none" ? [] : [idempotencyKey]), ...(streaming && method === "GET" ? [lastEventId] : [])];
}

const toContent = (schema: Json, mediaTypes: readonly string[]) =>
  Object.fromEntries(
    mediaTypes.map((type) => [type, { schema: type === "application/json" ? schema : { type: "string" } }]),
  );

const errorResponse = (mediaType: string, name: string) => ({
  description: "Error",
  content: { [mediaType]: { schema: { $ref: `#/components/schemas/${name}` } } },
});

function errorResponses(route: Route) {
  const byStatus = Map.groupBy(routeErrors(route), (code) => problemCodes[code].status);
  const $ref = `#/components/responses/${isOpenaiRoute(route) ? "OpenaiError" : "Problem"}`;
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { $ref, description: codes.map((code) => `\`${code}\``).join(", ") },
    ]),
  );
}

function toOperation(route: Route, schemas: Readonly<Record<string, GenericSchema>>, method: string): OpenapiOperation {
  const { id, group, summary, description, capability, scope, auth, body, replies, headers = {} } = route;
  const requirements = [
    capability && `Requires the capability \`${capability}\`.`,
    scope && `Requires the scope \`${scope}\`.`,
  ];
  const text = [description, ...requirements].filter(Boolean).join(" ");
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
      ...toParameters(route.params, "path"),
      ...toParameters(route.query, "query"),
      ...headerParameters(route),
    ],
    ...(body && {
      requestBody: { required: true, content: toContent(toJsonSchemaWith("input", {})(body), ["application/json"]) },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(replies).map(([status, schema]) => [
          status,
          {
            description: Number(status) < 300 ? "Success" : Number(status) < 400 ? "Redirect" : "See the description",
            ...(schema && { content: toContent(toJsonSchemaWith("output", schemas)(schema), mediaTypes) }),
          },
        ]),
      ),
      ...errorResponses(route),
    },
  };
}

const problem: Json = {
  type: "object",
  description: "An RFC 9457 problem. `type` is the path of a page that documents the error.",
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
 * Generates the OpenAPI document from the contracts that also validate the requests.
 * @param schemas resource schemas by component name
 */
export function openapiDocument(
  routes: readonly Route[],
  schemas: Readonly<Record<string, GenericSchema>>,
  version: string,
): OpenapiDocument {
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const route of routes) {
    // OpenAPI path parameters cannot match multiple segments.
    const path = route.path.replace("+}", "}");
    paths[path] ??= {};
    const methods = route.method === "ANY" ? anyMethods : [route.method.toLowerCase()];
    for (const method of methods) paths[path][method] = toOperation(route, schemas, method);
  }
  const components = Object.entries(schemas).map(([name, schema]) => {
    const { [name]: _, ...others } = schemas;
    return [name, toJsonSchemaWith("output", others)(schema)];
  });
  return {
    openapi: "3.1.1",
    info: {
      title: "Switchboard",
      version,
      description:
        "A multi-tenant conversational assistant. Every response includes the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset` (epoch seconds) and `X-Request-Id`.",
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
      schemas: { ...Object.fromEntries(components), Problem: problem, OpenaiError: openaiError },
    },
  };
}
