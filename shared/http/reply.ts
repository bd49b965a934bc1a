import * as v from "valibot";
import { isOpenaiRoute, type Route } from "../api/define-route.ts";
import type { Page } from "../dynamodb/pagination.ts";
import { pageSecurityPolicy } from "../lib/html-page.ts";
import { corsHeaders } from "./cors.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { openaiRateLimitHeaders, rateLimitHeaders } from "./rate-limit-headers.ts";
import type { RequestContext } from "./request-context.ts";
import { securityHeaders } from "./security-headers.ts";

/** Response of a handler that sets a status or headers, not only a body. */
export class Reply<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: Body, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  /** Returns the result of a handler as a `Reply`. A bare body gets the first status of the contract's `replies`. */
  static of(contract: Route, result: unknown): Reply {
    return result instanceof Reply ? result : new Reply(Number(Object.keys(contract.replies)[0]), result);
  }
}

/** Creates a reply with a text body. It is sent without validation against the contract. */
export function textReply(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<never> {
  return new Reply(status, text as never, { ...headers, "content-type": contentType });
}

/** Creates a reply with an HTML page. Its default content security policy allows nothing but the page's own style. */
export function htmlReply(html: string, headers: Readonly<Record<string, string>> = {}): Reply<never> {
  return textReply(200, "text/html; charset=utf-8", html, {
    "content-security-policy": pageSecurityPolicy,
    ...headers,
  });
}

/** Creates the body of a list response: the entries under `name`, the limit, and the cursor of the next page. */
export function pageReply<const Name extends string, Entry>(name: Name, { entries, next }: Page<Entry>, limit: number) {
  return { [name]: [...entries], limit, next_cursor: next } as Record<Name, Entry[]> & {
    limit: number;
    next_cursor: string | null;
  };
}

/** Union of the response bodies that a contract allows. */
export type ReplyBody<Contract extends Route> = {
  [Status in keyof Contract["replies"]]: Contract["replies"][Status] extends v.GenericSchema
    ? v.InferInput<Contract["replies"][Status]>
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a reply body returns nothing
      void;
}[keyof Contract["replies"]];

/**
 * Converts the result of a handler into a response. Validates a JSON body against the contract, and adds `Location` to
 * a 201.
 * @throws Error for a status that the contract does not have
 */
export function successResponse({ contract, http }: RequestContext, result: unknown): HttpResponse {
  const reply = Reply.of(contract, result);
  const schema = contract.replies[reply.status];
  if (schema === undefined) throw new Error(`${contract.id} has no reply ${reply.status}`);
  if (schema === null) return { statusCode: reply.status, headers: reply.headers, body: "" };
  if (reply.headers["content-type"])
    return { statusCode: reply.status, headers: reply.headers, body: String(reply.body) };
  const body = v.parse(schema, reply.body);
  const id = typeof body === "object" && body !== null && "id" in body ? String(body.id) : null;
  return {
    statusCode: reply.status,
    headers: {
      "content-type": "application/json",
      ...(reply.status === 201 && id && { location: `${http.path}/${id}` }),
      ...reply.headers,
    },
    body: JSON.stringify(body),
  };
}

/**
 * Adds the headers of every response: security, request id, rate limit, CORS and those of the contract. Headers of the
 * response itself take precedence.
 */
export function withCommonHeaders(response: HttpResponse, context: RequestContext): HttpResponse {
  const headers = {
    ...securityHeaders,
    "x-request-id": context.requestId,
    ...rateLimitHeaders(context.rateLimit),
    ...(isOpenaiRoute(context.contract) && {
      ...openaiRateLimitHeaders(context.rateLimit),
      // The name by which Anthropic's clients report it.
      "request-id": context.requestId,
    }),
    ...corsHeaders(context),
    ...context.contract.headers,
    ...response.headers,
  };
  return { ...response, headers };
}
