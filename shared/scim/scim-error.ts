import { ServiceError } from "../lib/errors.ts";

/** Value of `scimType` in an error response with the status 400 or 409 (RFC 7644, section 3.12). */
export type ScimErrorType =
  | "invalidFilter"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue";

/** Creates a validation or conflict error with a `scimType`. */
export const scimError = (scimType: ScimErrorType, message: string): ServiceError =>
  new ServiceError(scimType === "uniqueness" ? "conflict" : "validation_failed", message, { details: { scimType } });
