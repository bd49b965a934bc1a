interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** What the page at `/problems/<code>` tells a developer to do about it. */
  readonly help: string;
}

/** Every error the service answers with on purpose: `code → status, title, help`. */
export const problemCodes = {
  malformed_body: {
    status: 400,
    title: "Malformed body",
    help: "The body is not valid JSON. Check quoting, commas and the encoding (UTF-8).",
  },
  validation_failed: {
    status: 400,
    title: "Validation failed",
    help: "One or more values are not acceptable. The `errors` array names each by `location` and `path`.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    help: "A cursor belongs to the list, filters and tenant it came from. Start again without one.",
  },
  idempotency_key_required: {
    status: 400,
    title: "Idempotency key required",
    help: "Send an `Idempotency-Key` header of 1 to 255 visible ASCII characters, the same one for every retry.",
  },
  context_length_exceeded: {
    status: 400,
    title: "Context length exceeded",
    help: "The conversation is longer than the language model can take in. Shorten it or start a new one.",
  },
  unauthorized: {
    status: 401,
    title: "Unauthorized",
    help: "The request carries no credential that is valid here. The `detail` says which one belongs on this path.",
  },
  visitor_not_verified: {
    status: 401,
    title: "Visitor not verified",
    help: "Send `visitor` with its id and the HMAC-SHA256 of the id, in hex, keyed with the embed key's `visitor_secret`.",
  },
  forbidden: {
    status: 403,
    title: "Forbidden",
    help: "You are known, but your roles do not include the capability this operation needs. Ask an administrator.",
  },
  origin_not_allowed: {
    status: 403,
    title: "Origin not allowed",
    help: "This page's origin is not among the `allowed_origins` of the embed key. Add it there, with scheme and port.",
  },
  system_template: {
    status: 403,
    title: "System template",
    help: "Templates that come with the service are the same for everybody. Create one of your own from its body.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    help: "There is no such resource, or it is not visible to you, or no route has this method and path.",
  },
  conflict: {
    status: 409,
    title: "Conflict",
    help: "The resource is in a state that does not allow this, for example because the name is taken.",
  },
  session_full: {
    status: 409,
    title: "Session full",
    help: "This session has taken as many messages as a session may. Start a new one.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "Request in progress",
    help: "The first request with this `Idempotency-Key` is still running. Wait a moment and send it again.",
  },
  gone: {
    status: 410,
    title: "Gone",
    help: "This existed once and does not any more. The `detail` names the successor, if any.",
  },
  session_expired: {
    status: 410,
    title: "Session expired",
    help: "This session is over: nothing was said in it for too long. Start a new one.",
  },
  run_expired: {
    status: 410,
    title: "Run expired",
    help: "The stream of this run is no longer kept. Read the finished message from its conversation.",
  },
  precondition_failed: {
    status: 412,
    title: "Precondition failed",
    help: "This was changed since you read it. Read it again and send the `ETag` you get in `If-Match`.",
  },
  payload_too_large: { status: 413, title: "Payload too large", help: "A request body may hold at most 1 MiB." },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    help: "Send the body as `Content-Type: application/json`.",
  },
  invalid_structure: {
    status: 422,
    title: "Invalid structure",
    help: "The body must be one JSON object.",
  },
  idempotency_key_reused: {
    status: 422,
    title: "Idempotency key reused",
    help: "This `Idempotency-Key` was used for a different request. Take a fresh key for every new request.",
  },
  precondition_required: {
    status: 428,
    title: "Precondition required",
    help: "Send the `ETag` of what you mean to change in `If-Match`, so that nobody's change is overwritten unseen.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    help: "Wait until the time in `X-RateLimit-Reset` (epoch seconds), or `Retry-After` seconds.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    help: "Something went wrong on our side. Retry; if it stays, report the `request_id`.",
  },
  model_error: {
    status: 502,
    title: "Model error",
    help: "The language model refused the request or answered with an error. Try again or shorten the conversation.",
  },
  model_overloaded: {
    status: 503,
    title: "Model overloaded",
    help: "The language model's provider takes no more requests at the moment. Retry after `Retry-After` seconds.",
  },
  unavailable: {
    status: 503,
    title: "Unavailable",
    help: "Something this request depends on cannot be reached at the moment. Retry with increasing pauses.",
  },
  timeout: { status: 504, title: "Timeout", help: "The request took longer than it may. Retry." },
} as const satisfies Record<string, ProblemKind>;

/** Machine-readable name of an error. */
export type ProblemCode = keyof typeof problemCodes;
