import { ServiceError } from "../lib/errors.ts";

/** Kind of an error of status 400 or 409 (RFC 7644, section 3.12). */
export type ScimErrorType =
  | "invalidFilter"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** Creates an error with one of the types that SCIM defines for refused requests. */
export const scimError = (scimType: ScimErrorType, message: string): ServiceError =>
  new ServiceError(scimType === "uniqueness" ? "conflict" : "validation_failed", message, { details: { scimType } });
