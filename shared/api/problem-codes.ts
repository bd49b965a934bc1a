import { MAX_BODY_BYTES, MEBIBYTE } from "./limits.ts";

interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** Explanation and remedy, shown on the documentation page of the problem. */
  readonly help: string;
}

/**
 * All error codes of the service, with status, title and help text. The console's translations of messages are in
 * `functions/web/console/lib/codes/code-texts.ts`.
 */
export const problemCodes = {
  malformed_body: {
    status: 400,
    title: "Malformed body",
    help: "The request body is not valid JSON. Check quotes, commas and the encoding (UTF-8).",
  },
  validation_failed: {
    status: 400,
    title: "Validation failed",
    help: "One or more values are invalid. The `errors` array identifies each by `location` and `path`.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    help: "A cursor is only valid for the list, filters and tenant that it was issued for. Start again without a cursor.",
  },
  idempotency_key_required: {
    status: 400,
    title: "Idempotency key required",
    help: "Send an `Idempotency-Key` header of 1 to 255 visible ASCII characters. Use the same key for every retry.",
  },
  context_length_exceeded: {
    status: 400,
    title: "Context length exceeded",
    help: "The conversation exceeds the context window of the language model. Shorten it or start a new one.",
  },
  unsupported_content: {
    status: 400,
    title: "Unsupported content",
    help: "The model or the service cannot read a file of the message. The `detail` names both and tells what to do.",
  },
  form_required: {
    status: 400,
    title: "Form required",
    help: "The website asks its visitors for some values before a chat. Send them in `form`; `GET /v1/embed/config` has the fields.",
  },
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    help: "The request has no valid credential for this path. The `detail` names the credential to send.",
  },
  visitor_not_verified: {
    status: 401,
    title: "Visitor not verified",
    help: "Send `visitor` with an id and a signature: the HMAC-SHA256 of the id in hex, keyed with the embed key's `visitor_secret`.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    help: "Your roles do not include the capability that this operation requires. Contact an administrator.",
  },
  approval_required: {
    status: 403,
    title: "Approval required",
    help: "The assistant wanted to call a tool that needs a confirmation, which a run without a person cannot get. Allow the tool for later calls in a conversation.",
  },
  origin_not_allowed: {
    status: 403,
    title: "Origin not allowed",
    help: "The key does not allow the origin of this page. Add it to `allowed_origins`, including scheme and port.",
  },
  system_template: {
    status: 403,
    title: "System template",
    help: "System templates are part of the service and cannot be changed. Create your own template from its body.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    help: "The resource does not exist or is not visible to you, or no route has this method and path.",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    help: "The path has no such method. The header `Allow` names the one that it has.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    help: "The state of the resource does not allow this operation, for example because the name is taken.",
  },
  completion_canceled: {
    status: 409,
    title: "Completion canceled",
    help: "The completion was canceled before its end, by a request of the same API key. Send it again if you need it.",
  },
  session_full: {
    status: 409,
    title: "Session full",
    help: "The session has reached its message limit. Start a new session.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "Request in progress",
    help: "The first request with this `Idempotency-Key` is still in progress. Wait a moment and retry.",
  },
  storage_full: {
    status: 409,
    title: "Storage full",
    help: "The organization has reached its limit of documents or bytes, as `storage` says. Delete documents, or ask the operator of the service for a higher limit.",
  },
  gone: {
    status: 410,
    title: "Gone",
    help: "The resource no longer exists. The `detail` names its successor, if there is one.",
  },
  session_expired: {
    status: 410,
    title: "Session expired",
    help: "The session has expired due to inactivity. Start a new session.",
  },
  run_expired: {
    status: 410,
    title: "Run expired",
    help: "The stream of this run has expired. Get the completed message from its conversation.",
  },
  precondition_failed: {
    status: 412,
    title: "Precondition failed",
    help: "The resource was changed since you read it. Reload it and send its current `ETag` in `If-Match`.",
  },
  payload_too_large: {
    status: 413,
    title: "Payload too large",
    help: `The request body exceeds the limit of the operation, ${MAX_BODY_BYTES / MEBIBYTE} MiB for most.`,
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    help: "Send the request body with `Content-Type: application/json`.",
  },
  invalid_structure: {
    status: 422,
    title: "Invalid structure",
    help: "The request body must be a JSON object.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency key reused",
    help: "This `Idempotency-Key` was used for a different request. Use a new key for every new request.",
  },
  precondition_required: {
    status: 428,
    title: "Precondition required",
    help: "Send the `ETag` of the resource in `If-Match`, so that concurrent changes are not overwritten.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    help: "Wait for the number of seconds in `Retry-After`, or until `X-RateLimit-Reset` (epoch seconds).",
  },
  quota_exceeded: {
    status: 429,
    title: "Quota exceeded",
    help: "A budget is used up. `quota` names it, what is used, and in `resets_at` when the next window starts; null means never.",
  },
  not_implemented: {
    status: 501,
    title: "Not implemented",
    help: "The protocol knows this operation, and the service does not offer it. The `detail` says what to use instead.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    help: "An unexpected error occurred. Retry the request. If the error persists, report the `request_id`.",
  },
  model_error: {
    status: 502,
    title: "Model error",
    help: "The language model rejected the request or returned an error. Retry, or shorten the conversation.",
  },
  model_overloaded: {
    status: 503,
    title: "Model overloaded",
    help: "The provider of the language model is overloaded. Retry after the number of seconds in `Retry-After`.",
  },
  tool_server_failed: {
    // Not of this service, so that clients and alarms do not count it as a failure of the service.
    status: 424,
    title: "Tool server failed",
    help: "The tool server could not be reached, or broke the protocol. The `detail` tells what failed.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    help: "A dependency of the service is temporarily unavailable. Retry with exponential backoff.",
  },
  timeout: { status: 504, title: "Timeout", help: "The request timed out. Retry the request." },
} as const satisfies Record<string, ProblemKind>;

/** Machine-readable error code. */
export type ProblemCode = keyof typeof problemCodes;
