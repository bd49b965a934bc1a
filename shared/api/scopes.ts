import { type GroupName, groups } from "./groups.ts";

type ScopeOfGroup<Group> = Group extends GroupName ? `${Group}.${(typeof groups)[Group]["scopes"][number]}` : never;

/** Scope of an API key that provisions users and groups: an identity provider. */
export const SCIM_SCOPE = "scim";

/** Scope of an API key for a group of routes that take the token of a user. */
type UserScopeName = ScopeOfGroup<GroupName> | typeof SCIM_SCOPE;

/** Scope of an API key for the OpenAI-compatible API. */
type OpenaiScopeName = "chat.completions" | "models.read";

/** Scope of an API key that acts on behalf of users. */
export const ACT_AS_SCOPE = "users.act_as";

export type ScopeName = UserScopeName | OpenaiScopeName | typeof ACT_AS_SCOPE;

/** Scopes on `/v1`, in the order of the groups. */
export const userScopes = (Object.keys(groups) as GroupName[]).flatMap((group): UserScopeName[] =>
  group === "scim" ? [SCIM_SCOPE] : groups[group].scopes.map((access) => `${group}.${access}` as UserScopeName),
);

export const openaiScopes = ["chat.completions", "models.read"] as const satisfies readonly OpenaiScopeName[];

const userScopeNames: ReadonlySet<string> = new Set(userScopes);

/** Tells whether a scope belongs to `/v1`. A key without one is refused there. */
export const isUserScope = (scope: string): boolean => userScopeNames.has(scope);

/** Properties of a route that determine its scope. */
interface ScopedRoute {
  readonly scope?: ScopeName;
  readonly auth: string;
  readonly group: string;
  readonly method: string;
}

/**
 * Returns the scope that a key needs for a route: the one that its contract names, or else reading or writing in its group.
 * @returns undefined for routes that take no credential with scopes
 */
export function scopeOf({ scope, auth, group, method }: ScopedRoute): string | undefined {
  if (scope || auth !== "jwt") return scope;
  return `${group}.${method === "GET" ? "read" : "write"}`;
}

/**
 * Tells whether an access token for one conversation can call a route: those under the path of the conversation, its chat and
 * its ratings. `authorizeConversation` refuses every other conversation.
 */
export const isConversationRoute = ({ id, path, group }: { id: string; path: string; group: string }): boolean =>
  path.startsWith("/v1/conversations/{id}") || group === "chat" || id === "giveFeedback";

const readScopes = userScopes.filter((scope) => scope.endsWith(".read"));

/** Sets of scopes for usual purposes. */
export const scopePresets = {
  read_only: readScopes,
  chat_backend: [
    ACT_AS_SCOPE,
    "identity.read",
    "conversations.read",
    "conversations.write",
    "messages.read",
    "messages.write",
    "chat.read",
    "chat.run",
    "feedback.read",
    "feedback.write",
    "personas.read",
  ],
  knowledge_sync: ["identity.read", "access.read", "knowledge.read", "knowledge.write"],
  administrator: userScopes,
} as const satisfies Readonly<Record<string, readonly ScopeName[]>>;

export type ScopePreset = keyof typeof scopePresets;
