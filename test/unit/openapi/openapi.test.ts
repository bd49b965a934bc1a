import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { problemCodes } from "#shared/api/problem-codes.ts";
import { routes } from "#shared/api/routes.ts";
import type { Json } from "#shared/openapi/json-schema.ts";
import { serviceDocument } from "#shared/openapi/service-document.ts";

/** Returns the schemas of the body of a POST by media type. */
function getBodySchemas<Properties>(path: string): Record<string, { readonly properties: Properties }> {
  const content = serviceDocument.paths[path]?.post?.requestBody?.content ?? {};
  const entries = Object.entries(content).map(([mediaType, { schema }]) => [mediaType, schema]);
  return Object.fromEntries(entries);
}

it("OpenAPI document is valid according to the OpenAPI specification", async () => {
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(serviceDocument)));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
});

it("OpenAPI document equals openapi.json, which `npm run openapi` regenerates", () => {
  expect(JSON.parse(readFileSync("openapi.json", "utf8"))).toEqual(JSON.parse(JSON.stringify(serviceDocument)));
});

it("OpenAPI document has every route with a unique operation id", () => {
  const operations = Object.values(serviceDocument.paths).flatMap((methods) => Object.values(methods));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toEqual(expect.arrayContaining(routes.map(({ id }) => id)));
});

it("OpenAPI document has no dangling schema references", () => {
  const text = JSON.stringify(serviceDocument);
  const names = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name ?? ""));
  expect(names.size).toBeGreaterThan(20);
  expect(Object.keys(serviceDocument.components.schemas)).toEqual(expect.arrayContaining([...names]));
  expect(text).not.toContain("$defs");
});

it("OpenAPI document has a valid example for every request and response body", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: "document", ...serviceDocument });
  const resolveRefs = (schema: unknown) =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/'));
  let examples = 0;
  for (const methods of Object.values(serviceDocument.paths)) {
    for (const { operationId, requestBody, responses } of Object.values(methods)) {
      const bodies = [requestBody, ...Object.values(responses)].flatMap((body) => Object.entries(body?.content ?? {}));
      for (const [mediaType, { schema, example }] of bodies) {
        examples++;
        expect(example, operationId).toBeDefined();
        if (mediaType !== "application/json") continue;
        const validate = ajv.compile(resolveRefs(schema));
        expect(validate(example) ? [] : validate.errors, operationId).toEqual([]);
      }
    }
  }
  expect(examples).toBeGreaterThan(150);
});

it("OpenAPI document declares numeric and boolean query parameters with their type", () => {
  const parameters = Object.values(serviceDocument.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => operation.parameters.filter((parameter) => parameter.in === "query"));
  const typesOf = (name: string) =>
    new Set(parameters.filter((each) => each.name === name).map((each) => each.schema.type));
  expect([typesOf("limit"), typesOf("pinned"), typesOf("mine")]).toEqual([
    new Set(["integer"]),
    new Set(["boolean"]),
    new Set(["boolean"]),
  ]);
});

it("OpenAPI document has no component whose name client generators would also give to an inline schema", () => {
  const components: Record<string, Json> = serviceDocument.components.schemas;
  const clashes: string[] = [];
  const visit = (name: string, schema: Json) => {
    const isNamed = "enum" in schema || "properties" in schema;
    if (isNamed && name in components && schema !== components[name]) clashes.push(name);
    for (const [property, each] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
      visit(name + property.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase()), each);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      const memberName = schema === components[name] ? `${name}Type` : name;
      for (const each of (schema[keyword] ?? []) as Json[]) visit(memberName, each);
    }
    if (schema.items) visit(`${name}Item`, schema.items as Json);
  };
  for (const [name, schema] of Object.entries(components)) visit(name, schema);
  expect(clashes).toEqual([]);
});

it("OpenAPI document has named schemas for the blocks of messages, so that generated clients share their types", () => {
  const { Message, EmbedBlock, VegaBlock } = serviceDocument.components.schemas;
  expect(Message?.properties).toMatchObject({ content: { items: { $ref: "#/components/schemas/Block" } } });
  expect(EmbedBlock?.oneOf).toContainEqual({ $ref: "#/components/schemas/VegaBlock" });
  expect(VegaBlock?.required).toEqual(["type", "spec"]);
});

it("OpenAPI document declares `If-Match` where the service requires it", () => {
  const parameters = serviceDocument.paths["/v1/policy"]?.put?.parameters;
  expect(parameters?.map(({ name, required }) => [name, required])).toEqual([["If-Match", true]]);
});

it("OpenAPI document declares a parameter where the body has several media types, because openapi-python-client needs one", () => {
  const operations = Object.values(serviceDocument.paths).flatMap((methods) => Object.values(methods));
  const withChoice = operations.filter(({ requestBody }) => Object.keys(requestBody?.content ?? {}).length > 1);
  expect(withChoice.map(({ operationId }) => operationId)).toEqual(["createDocument", "replaceDocument"]);
  for (const { operationId, parameters } of withChoice) {
    expect(parameters.filter(({ required }) => !required).length, operationId).toBeGreaterThan(0);
  }
});

it("OpenAPI document lists multipart bodies before JSON, because openapi-generator omits types of later media types", () => {
  const schemas = getBodySchemas<Record<string, Json>>("/v1/knowledge/collections/{id}/documents");
  expect(Object.keys(schemas)).toEqual(["multipart/form-data", "application/json"]);
  const { file, ...texts } = schemas["multipart/form-data"]?.properties ?? {};
  expect(file?.items).toEqual({ type: "string", format: "binary" });
  // Without a description, openapi-generator replaces the property with a similar component.
  expect(Object.values(texts).map(({ description }) => typeof description)).toEqual(["string", "string", "string"]);
});

it("OpenAPI document has no schema that rejects every value, because openapi-generator cannot generate it", () => {
  expect(JSON.stringify(serviceDocument)).not.toContain('"not":{}');
  const names = Object.keys(getBodySchemas<object>("/openai/v1/responses")["application/json"]?.properties ?? {});
  expect(names).toContain("previous_response_id");
  expect(names).not.toContain("prompt");
});

it("OpenAPI document allows additional fields in objects that the service checks only in part", () => {
  type Properties = { readonly messages: { readonly items: { readonly oneOf: readonly Json[] } } };
  const schemas = getBodySchemas<Properties>("/openai/v1/chat/completions");
  const members = schemas["application/json"]?.properties.messages.items.oneOf ?? [];
  expect(members.length).toBeGreaterThan(2);
  expect(members.map(({ additionalProperties }) => additionalProperties)).toEqual(members.map(() => true));
});

it("OpenAPI document describes every event of a stream by its name", () => {
  const { ChatEvent, ChatDoneEvent } = serviceDocument.components.schemas;
  expect(ChatEvent?.oneOf).toHaveLength(18);
  expect(ChatEvent?.discriminator).toMatchObject({ mapping: { done: "#/components/schemas/ChatDoneEvent" } });
  expect(ChatDoneEvent?.required).toEqual(["id", "event", "data"]);
  const operations = Object.values(serviceDocument.paths).flatMap((methods) => Object.values(methods));
  const streams = operations.filter(({ responses }) => responses[200]?.content?.["text/event-stream"]);
  expect(streams.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(["startChat", "resumeChat", "sendEmbedMessage", "resumeEmbedMessage"]),
  );
});

it("OpenAPI document declares `Last-Event-ID` only for event streams", () => {
  const operations = Object.values(serviceDocument.paths).flatMap((methods) => Object.values(methods));
  const resumable = operations.filter(({ parameters }) => parameters?.some(({ name }) => name === "Last-Event-ID"));
  expect(resumable.map(({ operationId }) => operationId).sort()).toEqual(["resumeChat", "resumeEmbedMessage"]);
});

it("OpenAPI document lists text as a downloaded file's first media type, because openapi-python-client uses the first", () => {
  const content = serviceDocument.paths["/v1/downloads/{token}"]?.get?.responses[200]?.content ?? {};
  const [first, ...others] = Object.keys(content);
  expect([first, others]).toEqual(["text/markdown", ["application/x-ndjson", "application/json", "application/zip"]]);
  expect(content["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/ExportedConversation" });
});

it("OpenAPI document declares constant whole numbers as integers, which openapi-generator needs for Java", () => {
  const { ExportedConversation } = serviceDocument.components.schemas;
  expect(ExportedConversation?.properties).toMatchObject({ version: { type: "integer", const: 1 } });
  expect(JSON.stringify(serviceDocument)).not.toMatch(/"type":"number","const":-?\d+[,}]/);
});

it("OpenAPI document lists only existing problem codes for every operation", () => {
  for (const methods of Object.values(serviceDocument.paths)) {
    for (const { operationId, responses } of Object.values(methods)) {
      const codes = Object.entries(responses).flatMap(([status, { description }]) =>
        Number(status) < 400 ? [] : Array.from(description.matchAll(/`(\w+)`/g), ([, code]) => String(code)),
      );
      expect(codes, operationId).toEqual(expect.arrayContaining(["rate_limited", "internal_error"]));
      expect(Object.keys(problemCodes)).toEqual(expect.arrayContaining(codes));
    }
  }
});

it("OpenAPI document describes the body of every error response, including those of removed endpoints", () => {
  for (const methods of Object.values(serviceDocument.paths)) {
    for (const { operationId, responses } of Object.values(methods)) {
      for (const [status, response] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        expect("$ref" in response || "content" in response, `${operationId} ${status}`).toBe(true);
      }
    }
  }
});

const { schemas } = serviceDocument.components as { schemas: Record<string, Json> };
const mappingOf = (name: string) =>
  (schemas[name]?.discriminator as { mapping?: Record<string, string> })?.mapping ?? {};

it.each(["Block", "ChatEvent", "ResponseStreamEvent"])(
  "unions of the OpenAPI document name the schema of each member of %s",
  (name) => {
    const members = ((schemas[name] as Json).oneOf as { $ref: string }[]).map(({ $ref }) => $ref);
    expect(Object.values(mappingOf(name))).toEqual(members);
    expect(members.filter((reference) => !((reference.split("/").at(-1) ?? "") in schemas))).toEqual([]);
  },
);

it("unions of the OpenAPI document describe the events of every stream of the OpenAI-compatible API", () => {
  for (const { path, streaming } of routes.filter(
    // A compaction takes as long as an answer, but is not streamed.
    ({ path, streaming }) => streaming && path.startsWith("/openai/") && !path.endsWith("/compact"),
  )) {
    const operation = serviceDocument.paths[path]?.post?.responses[200] as {
      content: Record<string, { schema: object }>;
    };
    const { schema } = operation.content["text/event-stream"] ?? {};
    expect([path, streaming, JSON.stringify(schema)]).toEqual([path, true, expect.stringMatching(/Chunk|StreamEvent/)]);
  }
});

it("OpenAPI document has no objects as defaults of requests, for which openapi-python-client leaves out operations", () => {
  const bodies = Object.values(serviceDocument.paths).flatMap((methods) =>
    Object.values(methods).map(({ requestBody }) => JSON.stringify(requestBody ?? {})),
  );
  expect(bodies.filter((body) => body.includes('"default":"'))).not.toEqual([]);
  expect(bodies.filter((body) => /"default":\{(?:"type":"none"|\})/.test(body))).toEqual([]);
});

it("OpenAPI document declares the fields of JSON answers of the OpenAI-compatible API", () => {
  const answers = Object.entries(serviceDocument.paths)
    .filter(([path]) => path.startsWith("/openai/v1/"))
    .flatMap(([, methods]) => Object.values(methods))
    .flatMap(({ operationId, responses }) => {
      const schema = responses["200"]?.content?.["application/json"]?.schema as Json | undefined;
      return schema
        ? [[operationId, Object.keys((schema.properties ?? schema.anyOf ?? schema) as object).length] as const]
        : [];
    });
  expect(answers.length).toBeGreaterThan(20);
  expect(answers.filter(([, count]) => count === 0)).toEqual([]);
});

it("OpenAPI document names the schemas of webhooks, for which openapi-generator writes invalid code otherwise", () => {
  const bodies = Object.values(serviceDocument.webhooks as object).map((webhook) => JSON.stringify(webhook));
  expect(bodies.length).toBeGreaterThan(10);
  for (const body of bodies) expect(body).toMatch(/"schema":\{"\$ref":"#\/components\/schemas\/\w+Webhook"\}/);
});
