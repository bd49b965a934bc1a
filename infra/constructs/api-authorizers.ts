import { NestedStack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import type { Auth, Route } from "../../shared/api/define-route.ts";
import { pascalCase } from "../naming.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";
import { ServiceFunction } from "./api-function.ts";
import { addNotFoundFunction } from "./api-functions.ts";
import { invocationUri } from "./integration.ts";
import { InvokeRole } from "./invoke-role.ts";

interface Credential {
  /**
   * Header that contains the credential. API Gateway responds with 401 if it is missing. Without a header name, the
   * authorizer runs for every request.
   */
  readonly header?: string;
  /** Time for which API Gateway caches the result of the authorizer; 0 disables the cache. */
  readonly cacheSeconds: number;
}

type AuthorizedBy = Exclude<Auth, "none" | "webhook-signature" | "slack-signature" | "teams-token">;

/**
 * Authorizers by credential type. Only results for JWTs are cached: a key can be revoked, which must apply to the next
 * request.
 */
const credentials = {
  jwt: { header: "Authorization", cacheSeconds: 300 },
  // No identity source: OpenAI clients expect OpenAI's error format even for a missing key.
  "api-key": { cacheSeconds: 0 },
  // No identity source: cross-origin pages can read the authorizer's response, but not the gateway's own.
  "embed-key": { cacheSeconds: 0 },
  "deployment-key": { header: "Authorization", cacheSeconds: 0 },
} as const satisfies Record<AuthorizedBy, Credential>;

/** Authorizer settings of local mode, where requests need no token. */
const localModeCredential: Credential = { cacheSeconds: 0 };

const nameOf = (auth: AuthorizedBy) => `authorizer-${auth}`;

/**
 * Lambda authorizers of the API, one per credential type that the routes use. Webhooks have none, because an authorizer does
 * not get the body that their signature covers, and because the endpoint records rejected deliveries.
 */
export class ApiAuthorizers extends NestedStack {
  /** Security schemes of the OpenAPI document, by credential type. */
  readonly securitySchemes: Readonly<Partial<Record<Auth, object>>>;

  constructor(scope: Construct, context: StackContext, routes: readonly Route[], data: DataResources) {
    super(scope, "Authorizers", { description: "Switchboard API: credentials, and requests without a route" });
    addNotFoundFunction(this, context, data);
    const authTypes = [...new Set(routes.map(({ auth }) => auth))];
    const authorized = authTypes.filter((auth): auth is AuthorizedBy => auth in credentials);
    if (authorized.length === 0) {
      this.securitySchemes = {};
      return;
    }
    const functions = authorized.map((auth) => resourceName(context, nameOf(auth)));
    const role = new InvokeRole(scope, "InvokeAuthorizersRole", functions);
    this.securitySchemes = Object.fromEntries(
      authorized.map((auth) => {
        const localMode = context.config.settings.auth.AUTH_PROVIDER === "local";
        const { header, cacheSeconds }: Credential =
          auth === "jwt" && localMode ? localModeCredential : credentials[auth];
        const name = nameOf(auth);
        new ServiceFunction(this, pascalCase(auth), {
          context,
          kind: "authorizer",
          name,
          entry: `functions/authorizers/${auth}.ts`,
          description: `Authorizer: ${auth}`,
          data,
        });
        const scheme = {
          type: "apiKey",
          in: "header",
          name: header ?? "Unused",
          "x-amazon-apigateway-authtype": "custom",
          "x-amazon-apigateway-authorizer": {
            type: "request",
            authorizerUri: invocationUri(resourceName(context, name)),
            authorizerCredentials: role.roleArn,
            authorizerResultTtlInSeconds: cacheSeconds,
            ...(header && { identitySource: `method.request.header.${header}` }),
          },
        };
        return [auth, scheme];
      }),
    );
  }
}
