const prefix = "endpoint:";

/** Whether a key may address an endpoint: all of them, unless its scopes name some. */
export function allowsEndpoint(scopes: readonly string[], slug: string): boolean {
  const named = scopes.filter((scope) => scope.startsWith(prefix));
  return named.length === 0 || named.includes(prefix + slug);
}
