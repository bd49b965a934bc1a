import { isScimRoute } from "../api/define-route.ts";
import type { ProblemCode } from "../api/problem-codes.ts";
import { SCIM_MEDIA_TYPE } from "../api/scim/resources.ts";
import type { EndpointOptions } from "../http/chain.ts";
import type { HttpResponse } from "../http/errors/problems.ts";
import { Reply } from "../http/reply.ts";
import type { ServiceError } from "../lib/errors.ts";
import { GroupNameTaken } from "../tenancy/group-store.ts";
import { type Projection, projectAttributes } from "./attributes.ts";
import type { ScimObject } from "./filter.ts";
import type { ScimErrorType } from "./scim-error.ts";

const typeByCode: Partial<Record<ProblemCode, ScimErrorType>> = {
  malformed_body: "invalidSyntax",
  invalid_structure: "invalidSyntax",
  validation_failed: "invalidValue",
};

/** Returns the error response in the format of RFC 7644, section 3.12. */
function scimErrorResponse(error: ServiceError): HttpResponse {
  // A body that is not an object is a syntax error, which has status 400.
  const status = error.code === "invalid_structure" ? 400 : error.status;
  const isTaken = error instanceof GroupNameTaken;
  const scimType = error.details.scimType ?? (isTaken ? "uniqueness" : typeByCode[error.code]);
  const fields = (error.errors ?? []).map(({ path, message }) => `${path} ${message}`).join("; ");
  return {
    statusCode: status,
    headers: {
      "content-type": SCIM_MEDIA_TYPE,
      ...(status === 401 && { "www-authenticate": "Bearer" }),
      ...error.headers,
    },
    body: JSON.stringify({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
      status: String(status),
      ...(scimType !== undefined && { scimType }),
      detail: [error.message, fields].filter(Boolean).join(" "),
    }),
  };
}

/** Endpoint options that render errors of SCIM paths in SCIM's format. */
export const scimFormat: EndpointOptions = {
  renderError: ({ path }, error) => (isScimRoute({ path }) ? scimErrorResponse(error) : undefined),
};

/** Returns a response with a SCIM resource or list. */
export function scimReply(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply<never> {
  return new Reply(status, JSON.stringify(body) as never, { ...headers, "content-type": SCIM_MEDIA_TYPE });
}

/** Returns a response with a resource and its version as ETag; a 201 also has its URL in the header `Location`. */
export function resourceReply(status: 200 | 201, resource: ScimObject, projection: Projection): Reply<never> {
  const { version, location } = resource.meta as { version: string; location: string };
  return scimReply(status, projectAttributes(resource, projection), {
    etag: version,
    ...(status === 201 && { location }),
  });
}

/** Returns the base URL of the SCIM API, given the base URL of the service. */
export const toScimBase = (baseUrl: string): string => `${baseUrl}/scim/v2`;
