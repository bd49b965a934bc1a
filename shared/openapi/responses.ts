import { isMessagesRoute, isOpenaiRoute, isScimRoute, type Route } from "../api/define-route.ts";
import { problemPath } from "../api/platform/docs.ts";
import { problemCodes } from "../api/problem-codes.ts";
import { exampleOf } from "./example.ts";
import { type Json, refTo } from "./json-schema.ts";
import { routeErrors } from "./route-errors.ts";
import { eventSchemaName, formatExampleEvent } from "./stream-events.ts";

/** Named schemas. */
export type Components = Readonly<Record<string, Json>>;

/** Returns the content of a success response by media type. Only a 200 has media types other than JSON. */
export function replyContent(route: Route, status: number, schema: Json, components: Components) {
  const { events } = route;
  const mediaTypes = (status === 200 && route.mediaTypes) || ["application/json"];
  const contentOf = (mediaType: string) => {
    if (mediaType === "application/json") return { schema, example: exampleOf(schema, components) };
    if (mediaType !== "text/event-stream" || !events) return { schema: { type: "string" }, example: "…" };
    const names = ["metadata", "assistant_message", "done"].filter((event) => event in events.payloads);
    const examples = names.map(
      (event) => exampleOf(refTo(eventSchemaName(events.schemaName, event)), components) as Json,
    );
    return { schema: refTo(events.schemaName), example: examples.map(formatExampleEvent).join("") };
  };
  const content = Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, contentOf(mediaType)]));
  return { ...content, ...(route.chunk && { "text/event-stream": chunkContent(route.chunk.schemaName, components) }) };
}

/** Returns the content of a stream of the OpenAI-compatible API: data of its events, of which an error can be the last one. */
function chunkContent(name: string, components: Components) {
  const hasErrorEvent = "discriminator" in (components[name] ?? {});
  const schema = hasErrorEvent ? refTo(name) : { anyOf: [refTo(name), refTo("OpenaiError")] };
  return { schema, example: exampleOf(refTo(name), components) };
}

const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

const textHeader = (description: string, values?: readonly string[]): Json => ({
  description,
  schema: { type: "string", ...(values && { enum: values }) },
});
const integerHeader = (description: string): Json => ({ description, schema: { type: "integer" } });

export const responseHeaders: Components = {
  "X-Request-Id": textHeader("Id of the request, for support."),
  "Request-Id": textHeader("Same as `X-Request-Id`. Read by Anthropic's clients."),
  "X-RateLimit-Limit": integerHeader("Requests allowed per minute."),
  "X-RateLimit-Remaining": integerHeader("Requests left in the current minute."),
  "X-RateLimit-Reset": integerHeader("Epoch seconds at which the limit resets."),
  "Retry-After": integerHeader("Seconds to wait before a retry."),
  Location: textHeader("Path of the created or pending resource."),
  "Idempotent-Replayed": textHeader(
    "`true` if the response repeats that of an earlier request with the same `Idempotency-Key`.",
    ["true"],
  ),
  ETag: textHeader("Version of the resource, for `If-Match`."),
  "Content-Disposition": textHeader("Name of the file."),
  "WWW-Authenticate": textHeader("`Bearer`; only with status 401."),
  "X-Vercel-AI-UI-Message-Stream": textHeader(
    "Version of the AI SDK's UI message stream; only in streams of this protocol.",
    ["v1"],
  ),
  "AI-Disclosure": textHeader(
    'Mark of an AI-generated answer with its model, such as `mode=ai-originated; model="gpt-4.1"` (draft-abaris-aicdh).',
  ),
  "X-Completion-Id": textHeader("Id of a streamed completion, before its first chunk."),
  "X-Should-Retry": textHeader("`false` if a retry cannot succeed. Read by OpenAI's clients.", ["false"]),
  "Retry-After-Ms": integerHeader("Milliseconds to wait before a retry."),
  "X-RateLimit-Limit-Requests": integerHeader("Requests allowed per minute."),
  "X-RateLimit-Remaining-Requests": integerHeader("Requests left in the current minute."),
  "X-RateLimit-Reset-Requests": textHeader("Time until the limit resets, such as `30s`."),
  "X-RateLimit-Limit-Tokens": integerHeader("Tokens allowed per minute; only with such a limit."),
  "X-RateLimit-Remaining-Tokens": integerHeader(
    "Tokens left in the current minute after the estimate for this answer.",
  ),
  "X-RateLimit-Reset-Tokens": textHeader("Time until the limit resets, such as `30s`."),
  Deprecation: textHeader("Date of the deprecation (RFC 9745)."),
  Sunset: textHeader("Date after which the path can be removed (RFC 8594)."),
  Link: textHeader(
    'The next page of a list as CSV (`rel="next"`), or the successor of the path (`rel="successor-version"`).',
  ),
  "X-Robots-Tag": textHeader("`noindex`: search engines must not list the page."),
};

const commonHeaders = ["X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** Headers under the names that OpenAI and Anthropic use. */
const openaiHeaders = [
  "Request-Id",
  ...["Limit", "Remaining", "Reset"].flatMap((name) => [`X-RateLimit-${name}-Requests`, `X-RateLimit-${name}-Tokens`]),
];

const toHeaders = (names: readonly string[]): Json => Object.fromEntries(names.map((name) => [name, headerRef(name)]));

/**
 * Returns the names of those headers of a route's responses that the OpenAPI document describes. The others are only
 * directives for browsers.
 */
function routeHeaders({ headers = {} }: Route): string[] {
  return Object.keys(responseHeaders).filter((name) => name.toLowerCase() in headers);
}

export function replyHeaders(route: Route, status: number): Json {
  const { idempotency, replyHeaders: ownHeaders = [] } = route;
  return toHeaders([
    ...commonHeaders,
    ...(status === 201 || (status >= 300 && status < 400) ? ["Location"] : []),
    ...ownHeaders.filter((name) => name !== "Location" || status === 202),
    ...(idempotency === "none" ? [] : ["Idempotent-Replayed"]),
    ...(isOpenaiRoute(route) ? openaiHeaders : []),
    ...routeHeaders(route),
  ]);
}

const errorHeaders = [...commonHeaders, "Retry-After", "WWW-Authenticate", "X-Should-Retry"];

const errorResponse = (mediaType: string, name: string, headers: readonly string[], example: Json) => ({
  description: "Error",
  headers: toHeaders(headers),
  content: { [mediaType]: { schema: refTo(name), example } },
});

/** Returns the error responses of a route by status. */
export function errorResponses(route: Route) {
  const byStatus = Map.groupBy(routeErrors(route), (code) =>
    isMessagesRoute(route) && code === "model_overloaded" ? 529 : problemCodes[code].status,
  );
  const compatible = isMessagesRoute(route) ? "AnthropicError" : "OpenaiError";
  const name = isScimRoute(route) ? "ScimError" : isOpenaiRoute(route) ? compatible : "Problem";
  const { headers, content } = sharedErrorResponses[name];
  const ownHeaders = routeHeaders(route);
  // A reference cannot add headers to the shared response.
  const response =
    ownHeaders.length === 0
      ? { $ref: `#/components/responses/${name}` }
      : { headers: { ...headers, ...toHeaders(ownHeaders) }, content };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { ...response, description: codes.map((code) => `\`${code}\``).join(", ") },
    ]),
  );
}

const problemExample: Json = {
  type: problemPath("not_found"),
  title: problemCodes.not_found.title,
  status: 404,
  detail: "The conversation does not exist.",
  request_id: "01978a3e-5c1f-7b60-9d2e-3f4a5b6c7d8e",
  code: "not_found",
};

const openaiErrorExample = {
  error: {
    message: "The model does not exist, or this key cannot use it.",
    type: "invalid_request_error",
    param: null,
    code: "model_not_found",
  },
};

const anthropicErrorExample: Json = {
  type: "error",
  error: { type: "not_found_error", message: openaiErrorExample.error.message },
};

const scimErrorExample: Json = {
  schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
  status: "404",
  detail: "The resource does not exist.",
};

function compatibleError(name: string, example: Json) {
  const headers = [...errorHeaders, "Retry-After-Ms", ...openaiHeaders];
  const response = errorResponse("application/json", name, headers, example);
  // Errors of API Gateway, such as the 401 of operations that do not stream, are problems with the member `error`.
  const { content } = errorResponse("application/problem+json", name, headers, example);
  return { ...response, content: { ...response.content, ...content } };
}

/** Error responses that operations refer to. */
export const sharedErrorResponses = {
  Problem: errorResponse("application/problem+json", "Problem", errorHeaders, problemExample),
  OpenaiError: compatibleError("OpenaiError", openaiErrorExample),
  AnthropicError: compatibleError("AnthropicError", anthropicErrorExample),
  ScimError: errorResponse("application/scim+json", "ScimError", errorHeaders, scimErrorExample),
};
