import * as v from "valibot";
import type { Route } from "../api/define-route.ts";
import { pagePolicy } from "../lib/html-page.ts";
import { corsHeaders } from "./cors.ts";
import type { HttpResponse } from "./errors/problems.ts";
import { isOpenai, openaiRateLimitHeaders, rateLimitHeaders } from "./rate-limit-headers.ts";
import type { RequestContext } from "./request-context.ts";
import { securityHeaders } from "./security-headers.ts";

/** A reply that says more than its body: one of several success statuses, or headers of its own. */
export class Reply<Body = unknown> {
  readonly status: number;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body: Body, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  /** What a handler gave, as a reply: a bare body has the contract's (first) success status. */
  static of(contract: Route, result: unknown): Reply {
    return result instanceof Reply ? result : new Reply(Number(Object.keys(contract.replies)[0]), result);
  }
}

/** A reply that is no body of its contract but a text of another kind, such as a page for people: sent as it is. */
export function textReply(
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<never> {
  return new Reply(status, text as never, { ...headers, "content-type": contentType });
}

/** A page for people, which may do nothing but look as it does. */
export function htmlReply(html: string, headers: Readonly<Record<string, string>> = {}): Reply<never> {
  return textReply(200, "text/html; charset=utf-8", html, { "content-security-policy": pagePolicy, ...headers });
}

/** The answer to a request whose action waits for somebody's word. */
export function approvalRequired<Approval extends { readonly id: string }>(
  approval: Approval,
): Reply<{ approval: Approval }> {
  return new Reply(202, { approval }, { location: `/v1/approvals/${approval.id}` });
}

/** The answer to a request for what takes a while to put together. */
export function exportAccepted<Export extends { readonly id: string }>(begun: Export) {
  const { id } = begun;
  return new Reply(202, { export: { ...begun, download_url: null } }, { location: `/v1/exports/${id}` });
}

/** Bodies a contract's handler may give, by its success replies. */
export type ReplyBody<Contract extends Route> = {
  [Status in keyof Contract["replies"]]: Contract["replies"][Status] extends v.GenericSchema
    ? v.InferInput<Contract["replies"][Status]>
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a reply body returns nothing
      void;
}[keyof Contract["replies"]];

/** What a handler gives becomes a response: checked against the contract, with `Location` for what was created. */
export function successResponse({ contract, http }: RequestContext, result: unknown): HttpResponse {
  const given = Reply.of(contract, result);
  const schema = contract.replies[given.status];
  if (schema === undefined) throw new Error(`${contract.id} has no reply ${given.status}`);
  if (schema === null) return { statusCode: given.status, headers: given.headers, body: "" };
  if (given.headers["content-type"])
    return { statusCode: given.status, headers: given.headers, body: String(given.body) };
  const body = v.parse(schema, given.body);
  const id = typeof body === "object" && body !== null && "id" in body ? String(body.id) : null;
  return {
    statusCode: given.status,
    headers: {
      "content-type": "application/json",
      ...(given.status === 201 && id && { location: `${http.path}/${id}` }),
      ...given.headers,
    },
    body: JSON.stringify(body),
  };
}

/** Adds what every response carries. */
export function withCommonHeaders(response: HttpResponse, exchange: RequestContext): HttpResponse {
  const headers = {
    ...securityHeaders,
    "x-request-id": exchange.requestId,
    ...rateLimitHeaders(exchange.rateLimit),
    ...(isOpenai(exchange.contract) && openaiRateLimitHeaders(exchange.rateLimit)),
    ...corsHeaders(exchange),
    ...exchange.contract.headers,
    ...response.headers,
  };
  return { ...response, headers };
}
