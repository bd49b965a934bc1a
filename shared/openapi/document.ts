import type { GenericSchema } from "valibot";
import type { Auth, Route } from "../api/define-route.ts";
import { events } from "../api/events/event-data.ts";
import { groups } from "../api/groups.ts";
import { scopeOf } from "../api/scopes.ts";
import { anthropicErrorSchema, openaiErrorSchema, problemSchema, scimErrorSchema } from "./error-schemas.ts";
import { exampleOf } from "./example.ts";
import { convertNamed, convertSchema, convertSchemas, type Json, type NamedSchemas, refTo } from "./json-schema.ts";
import { headerParameters, toParameters } from "./parameters.ts";
import {
  type Components,
  errorResponses,
  replyContent,
  replyHeaders,
  responseHeaders,
  sharedErrorResponses,
} from "./responses.ts";
import { chunkSchemas, eventSchemas } from "./stream-events.ts";
import type { OpenapiDocument, OpenapiOperation } from "./types.ts";

const security: Readonly<Record<Exclude<Auth, "none">, Json>> = {
  jwt: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A JSON Web Token issued by your identity provider.",
  },
  "api-key": {
    type: "http",
    scheme: "bearer",
    bearerFormat: "swk_…",
    description:
      "An API key of the tenant. The OpenAI-compatible API also takes it in the header `api-key` or `x-api-key`. With the scope `users.act_as`, the header `X-On-Behalf-Of: <user id>` makes a request to `/v1` that of a user.",
  },
  "embed-key": { type: "apiKey", in: "header", name: "X-Embed-Key" },
  "deployment-key": {
    type: "http",
    scheme: "bearer",
    description: "The key of the deployment, a secret of its AWS account, for the operator of the service.",
  },
  "webhook-signature": {
    type: "apiKey",
    in: "header",
    name: "X-Webhook-Signature",
    description: "The HMAC-SHA256 of the raw request body in hex, keyed with the channel's secret.",
  },
  "teams-token": {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "A token of Microsoft's Bot Connector service for the bot.",
  },
  "slack-signature": {
    type: "apiKey",
    in: "header",
    name: "X-Slack-Signature",
    description:
      "The signature `v0` of Slack: the HMAC-SHA256 of `v0:<time>:<body>` in hex, keyed with the app's secret.",
  },
};

/** Methods to list for an `ANY` route, because OpenAPI has no wildcard. */
const anyMethods = ["get", "post", "put", "patch", "delete"] as const;

/** Routes under a deprecated path, and removed ones that only tell their replacement. */
const isDeprecated = ({ group, headers = {} }: Route) => group === "legacy" || "deprecation" in headers;

function toOperation(
  route: Route,
  toSchema: (schema: GenericSchema) => Json,
  components: Components,
  method: string,
): OpenapiOperation {
  const { id, group, summary, description, capability, keys, auth, body, replies } = route;
  const requiredScope = scopeOf(route);
  const isForKeys = keys !== "refused";
  const requirements = [
    capability && `Requires the capability \`${capability}\`.`,
    requiredScope && (isForKeys ? `API keys need the scope \`${requiredScope}\`.` : "Not for API keys."),
    keys === "on_behalf" && "API keys can only call it on behalf of a user.",
  ];
  const text = [description, ...requirements].filter(Boolean).join(" ");
  const requestSchema = body && convertSchema("input", body);
  const operationId =
    route.method === "ANY" && method !== "get" ? `${id}By${method[0]?.toUpperCase()}${method.slice(1)}` : id;
  return {
    operationId,
    tags: [group],
    summary,
    ...(text && { description: text }),
    ...(isDeprecated(route) && { deprecated: true }),
    security: auth === "none" ? [] : [{ [auth]: [] }, ...(auth === "jwt" && isForKeys ? [{ "api-key": [] }] : [])],
    parameters: [
      ...toParameters(route.params, "path"),
      ...toParameters(route.query, "query"),
      ...headerParameters(route),
    ],
    ...(requestSchema && {
      requestBody: {
        required: true,
        content: {
          // openapi-generator supports one media type per operation, the first, and does not generate the types of other forms.
          ...(route.maxFiles !== undefined && { "multipart/form-data": formContent(route.maxFiles) }),
          "application/json": { schema: requestSchema, example: exampleOf(requestSchema, components) },
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(replies).map(([status, schema]) => [
          status,
          {
            description: Number(status) < 300 ? "Success" : Number(status) < 400 ? "Redirect" : "See the description",
            headers: replyHeaders(route, Number(status)),
            ...(schema && { content: replyContent(route, Number(status), toSchema(schema), components) }),
          },
        ]),
      ),
      ...errorResponses(route),
    },
  };
}

/** Describes a form with files. The files can have any field names. */
function formContent(maxFiles: number) {
  const files = { type: "array", maxItems: maxFiles, items: { type: "string", format: "binary" } };
  // openapi-generator takes a property without a description for another schema of the same form.
  const title = { type: "string", description: "The title of a single file; the name of the file by default." };
  const uri = { type: "string", description: "The address of the document." };
  const metadata = { type: "string", description: "A JSON object with text values." };
  const properties = { file: files, title, uri, metadata };
  return { schema: { type: "object", required: ["file"], properties }, example: { file: ["(binary)"] } };
}

/** Returns the schemas that the paths refer to, directly or through other schemas. */
function omitUnused(components: Components, paths: unknown): Components {
  const used = new Set(["Problem", "OpenaiError", "AnthropicError", "ScimError"]);
  const collect = (value: unknown) => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      collect(components[name]);
    }
  };
  collect(paths);
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}

const toPascalCase = (type: string) => type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the schema of an event as receivers get it. */
function webhookSchema(type: string, data: Json): Json {
  const properties = {
    type: { type: "string", const: type },
    timestamp: { type: "string", format: "date-time" },
    data,
  };
  return { type: "object", required: ["type", "timestamp", "data"], properties };
}

/** Describes the request with an event. openapi-generator writes invalid code for a schema that is not named. */
function toWebhook(type: string, summary: string): Json {
  const schema = refTo(`${toPascalCase(type)}Webhook`);
  const responses = { "2XX": { description: "The event is accepted." } };
  const requestBody = { required: true, content: { "application/json": { schema } } };
  return {
    post: {
      operationId: `on${toPascalCase(type)}`,
      tags: ["event-endpoints"],
      summary,
      security: [],
      requestBody,
      responses,
    },
  };
}

/** Returns the schemas of all replies, of the data of streamed events, and of the events that receivers get. */
function listOutputs(routes: readonly Route[]): GenericSchema[] {
  const inRoutes = routes.flatMap((route) => [
    ...Object.values(route.replies),
    ...Object.values(route.events?.payloads ?? {}),
  ]);
  return [...inRoutes, ...Object.values(events).map(({ data }) => data)].filter((schema) => schema !== null);
}

/**
 * Generates the OpenAPI document from the contracts that also validate the requests.
 * @param schemas resource schemas by component name
 */
export function openapiDocument(routes: readonly Route[], schemas: NamedSchemas, version: string): OpenapiDocument {
  const components: Record<string, Json> = {
    Problem: problemSchema,
    OpenaiError: openaiErrorSchema,
    AnthropicError: anthropicErrorSchema,
    ScimError: scimErrorSchema,
    ...convertNamed(schemas),
  };
  const outputs = convertSchemas("output", listOutputs(routes), schemas);
  const toSchema = (schema: GenericSchema) => outputs.get(schema) as Json;
  for (const { events: streamed, chunk } of routes) {
    if (streamed) Object.assign(components, eventSchemas(streamed, toSchema));
    if (chunk) Object.assign(components, chunkSchemas(chunk, schemas));
  }
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  const inOrder = routes.toSorted((a, b) => Number(isDeprecated(a)) - Number(isDeprecated(b)));
  for (const route of inOrder) {
    // OpenAPI path parameters cannot match multiple segments.
    const path = route.path.replace("+}", "}");
    paths[path] ??= {};
    const methods = route.method === "ANY" ? anyMethods : [route.method.toLowerCase()];
    for (const method of methods) paths[path][method] = toOperation(route, toSchema, components, method);
  }
  const webhooks: Record<string, Json> = {};
  for (const [type, { description, data }] of Object.entries(events)) {
    webhooks[type] = toWebhook(type, description);
    components[`${toPascalCase(type)}Webhook`] = webhookSchema(type, toSchema(data));
  }
  const usedGroups = new Set<string>(routes.map(({ group }) => group));
  return {
    openapi: "3.1.1",
    info: {
      title: "Switchboard",
      version,
      description:
        "A multi-tenant conversational assistant. Errors are RFC 9457 problems; those of the OpenAI-compatible API have OpenAI's form, and those of SCIM that of RFC 7644.",
      license: { name: "UNLICENSED", identifier: "UNLICENSED" },
    },
    servers: [{ url: "/" }],
    tags: Object.entries(groups)
      .filter(([name]) => usedGroups.has(name))
      .map(([name, { description }]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: security,
      headers: responseHeaders,
      responses: sharedErrorResponses,
      schemas: omitUnused(components, [paths, webhooks]),
    },
  };
}
