import type { Route } from "../api/define-route.ts";
import { isConversationRoute, scopeOf } from "../api/scopes.ts";
import { type AnyPrincipal, serviceIdOf } from "../auth/principal.ts";

/** Returns the API key of a caller; undefined for callers without one. */
export function findApiKey(principal: AnyPrincipal) {
  if (principal.kind === "user") return principal.apiKey;
  return principal.kind === "api-key" ? { ...principal, id: principal.keyId } : undefined;
}

/** Returns the error message if the caller's API key does not allow a route; undefined if it does, or without a key. */
export function findScopeViolation(
  principal: AnyPrincipal,
  route: Pick<Route, "id" | "path" | "scope" | "auth" | "group" | "method" | "keys">,
): string | undefined {
  const apiKey = findApiKey(principal);
  if (!apiKey) return undefined;
  const isService = principal.kind === "user" && principal.userId === serviceIdOf(apiKey.id);
  if (route.keys === "refused" || (route.keys === "on_behalf" && isService)) {
    return "API keys cannot call this operation, because it takes the decision of a person.";
  }
  if (principal.kind === "user" && principal.apiKey?.conversationId && !isConversationRoute(route)) {
    return "This access token is limited to one conversation.";
  }
  const scope = scopeOf(route);
  return scope === undefined || apiKey.scopes.includes(scope) ? undefined : `This API key lacks the scope ${scope}.`;
}

const ENDPOINT_SCOPE_PREFIX = "endpoint:";

/**
 * Returns true if the scopes of a key allow a persona's endpoint. A key without `endpoint:` scopes can use all
 * endpoints.
 */
export function allowsEndpoint(scopes: readonly string[], slug: string): boolean {
  const endpointScopes = scopes.filter((scope) => scope.startsWith(ENDPOINT_SCOPE_PREFIX));
  return endpointScopes.length === 0 || endpointScopes.includes(ENDPOINT_SCOPE_PREFIX + slug);
}
