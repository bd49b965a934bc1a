import type { GenericSchema, InferInput, InferOutput } from "valibot";
import type { startChatRoute } from "../api/conversations/chat.ts";
import type { runEvents } from "../api/conversations/chat-events.ts";
import type { ProblemCode } from "../api/problem-codes.ts";
import type { RouteContract } from "../api/routes.ts";

export type { ProblemCode };

/** Request body of a chat: the message to send. */
export type ChatRequest = InferInput<(typeof startChatRoute)["body"]>;

/** Payload types of the events of a reply, by event name. */
export type ChatPayloads = { [Name in keyof typeof runEvents]: InferOutput<(typeof runEvents)[Name]> };

/** Problem of RFC 9457: the body of every error response outside of the OpenAI-compatible API. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly code: ProblemCode;
  readonly request_id?: string;
  /** Invalid values, each with its location (`body`, `query`, `path` or `header`) and its dotted path. */
  readonly errors?: readonly { readonly location?: string; readonly path: string; readonly message: string }[];
}

type Simplify<Type> = { [Key in keyof Type]: Type[Key] } & {};

/** Path as in the OpenAPI document, where `{name+}`, which matches several segments, is `{name}`. */
type DocumentPath<Path extends string> = Path extends `${infer Head}+}${infer Tail}` ? `${Head}}${Tail}` : Path;

type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParams<Rest>
  : unknown;

/** Type of a query value as callers write it: a number or boolean instead of its text. */
type QueryValue<Input, Output> =
  NonNullable<Output> extends number
    ? number | Extract<Input, undefined>
    : NonNullable<Output> extends boolean
      ? boolean | Extract<Input, undefined>
      : Input;

type Query<Schema> = Schema extends GenericSchema
  ? {
      // Filters with names that tenants choose must admit the values of the other parameters.
      [Key in keyof InferInput<Schema>]: string extends Key
        ? string | number | undefined
        : Key extends keyof InferOutput<Schema>
          ? QueryValue<InferInput<Schema>[Key], InferOutput<Schema>[Key]>
          : InferInput<Schema>[Key];
    }
  : never;

type Parameters<Contract extends RouteContract> = {
  header?: { "Idempotency-Key"?: string; "If-Match"?: string; "If-None-Match"?: string };
} & (Contract extends { query: infer Schema }
  ? Record<string, never> extends InferInput<Schema & GenericSchema>
    ? { query?: Query<Schema> }
    : { query: Query<Schema> }
  : { query?: never }) &
  (unknown extends PathParams<DocumentPath<Contract["path"]>>
    ? { path?: never }
    : { path: Simplify<PathParams<DocumentPath<Contract["path"]>>> });

type Content<Schema> = Schema extends GenericSchema
  ? { headers: Record<string, unknown>; content: { "application/json": InferOutput<Schema> } }
  : { headers: Record<string, unknown>; content?: never };

type Operation<Contract extends RouteContract> = {
  parameters: Parameters<Contract>;
  responses: { [Status in keyof Contract["replies"]]: Content<Contract["replies"][Status]> } & {
    default: { headers: Record<string, unknown>; content: { "application/problem+json": Problem } };
  };
} & (Contract extends { body: infer Schema extends GenericSchema }
  ? { requestBody: { content: { "application/json": InferInput<Schema> } } }
  : { requestBody?: never });

/** Routes that clients call. `ANY` routes only redirect or reject requests. */
type Callable = Exclude<RouteContract, { method: "ANY" }>;

/**
 * API paths in the form of `openapi-typescript`. The types are inferred from the contracts, so that no generated file can be
 * out of date (decision 0017).
 */
export type Paths = {
  [Path in Callable["path"] as DocumentPath<Path>]: {
    [Method in Extract<Callable, { path: Path }>["method"] as Lowercase<Method>]: Operation<
      Extract<Callable, { path: Path; method: Method }>
    >;
  };
};
