/** Query parameters that select a part of a list. */
export interface ListRequest {
  /** Position of the first result; positions start at 1. */
  readonly startIndex: number;
  readonly count: number;
}

const MAX_RESULTS = 200;

/** Returns the list response with the requested part of the resources (RFC 7644, section 3.4.2.4). */
export function toList<Resource extends object>(
  resources: readonly Resource[],
  { startIndex, count }: ListRequest,
  toResult: (resource: Resource) => object = (resource) => resource,
) {
  const start = Math.max(1, startIndex);
  const page = resources.slice(start - 1, start - 1 + Math.min(Math.max(0, count), MAX_RESULTS));
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: resources.length,
    startIndex: start,
    itemsPerPage: page.length,
    Resources: page.map(toResult),
  };
}
