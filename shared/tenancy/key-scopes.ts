const ENDPOINT_SCOPE_PREFIX = "endpoint:";

/** Checks whether the scopes of a key allow an endpoint. Without endpoint scopes, a key can use all endpoints. */
export function allowsEndpoint(scopes: readonly string[], slug: string): boolean {
  const endpointScopes = scopes.filter((scope) => scope.startsWith(ENDPOINT_SCOPE_PREFIX));
  return endpointScopes.length === 0 || endpointScopes.includes(ENDPOINT_SCOPE_PREFIX + slug);
}
