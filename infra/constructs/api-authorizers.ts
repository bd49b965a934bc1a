import { Stack } from "aws-cdk-lib";
import { CfnAuthorizer, type CfnAuthorizerProps, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Auth } from "../../shared/api/define-route.ts";
import { pascalCase } from "../naming.ts";
import { type DataResources, resourceName, type StackContext } from "../stack-context.ts";
import { ServiceFunction } from "./api-function.ts";
import { invocationUri } from "./integration.ts";

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

/**
 * Lambda authorizers of the API, one per credential type that the routes use. Webhooks have none, because an authorizer does
 * not get the body that their signature covers, and because the endpoint records rejected deliveries.
 */
export class ApiAuthorizers extends Construct {
  readonly #byAuth = new Map<Auth, CfnAuthorizer>();
  /** Properties of the authorizers, which are hashed to detect changes of the API. */
  readonly definitions: readonly CfnAuthorizerProps[];

  constructor(api: CfnRestApi, context: StackContext, data: DataResources) {
    super(api, "Authorizers");
    const authTypes = new Set(context.routes.filter((route) => !route.streaming).map((route) => route.auth));
    const authorized = [...authTypes].filter((auth): auth is AuthorizedBy => auth in credentials);
    this.definitions = authorized.map((auth) => {
      const localMode = context.config.settings.auth.AUTH_PROVIDER === "local";
      const credential: Credential = auth === "jwt" && localMode ? localModeCredential : credentials[auth];
      const authorizer = new ServiceFunction(this, pascalCase(auth), {
        context,
        kind: "authorizer",
        name: `authorizer-${auth}`,
        entry: `functions/authorizers/${auth}.ts`,
        description: `Authorizer: ${auth}`,
        data,
      });
      authorizer.addPermission("Gateway", {
        principal: new ServicePrincipal("apigateway.amazonaws.com"),
        sourceArn: Stack.of(this).formatArn({
          service: "execute-api",
          resource: api.ref,
          resourceName: "authorizers/*",
        }),
      });
      const definition = {
        restApiId: api.ref,
        name: resourceName(context, auth),
        type: "REQUEST",
        authorizerUri: invocationUri(authorizer),
        authorizerResultTtlInSeconds: credential.cacheSeconds,
        ...(credential.header && { identitySource: `method.request.header.${credential.header}` }),
      };
      this.#byAuth.set(auth, new CfnAuthorizer(this, `${pascalCase(auth)}Authorizer`, definition));
      return definition;
    });
  }

  authorization(auth: Auth): { authorizationType: string; authorizerId?: string } {
    const authorizer = this.#byAuth.get(auth);
    return authorizer ? { authorizationType: "CUSTOM", authorizerId: authorizer.ref } : { authorizationType: "NONE" };
  }
}
