import { Stack } from "aws-cdk-lib";
import { CfnAuthorizer, type CfnAuthorizerProps, type CfnRestApi } from "aws-cdk-lib/aws-apigateway";
import { ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { Auth } from "../../shared/api/define-route.ts";
import { pascalCase } from "../naming.ts";
import { nameOf, type Service, type ServiceData } from "../stack-context.ts";
import { ServiceFunction } from "./api-function.ts";
import type { TableAccess } from "./grants.ts";
import { invocationUri } from "./integration.ts";

/** How a credential is recognised by the gateway. */
interface Credential {
  /** Without this header the gateway itself answers 401; without a header here, the authorizer is asked every time. */
  readonly header?: string;
  /** How long the gateway may take the same credential for the same person. */
  readonly cacheSeconds: number;
  readonly access: TableAccess;
}

type AuthorizedBy = Exclude<Auth, "none">;

/** Keys can be revoked, and bite on the very next request: only a token, which cannot, is remembered. */
const credentials = {
  jwt: { header: "Authorization", cacheSeconds: 300, access: "none" },
  // OpenAI's clients expect OpenAI's errors, so even a missing key is answered in code.
  "api-key": { cacheSeconds: 0, access: "lookup" },
  // Pages of other origins can read what it answers, which they cannot of the gateway's own answers.
  "embed-key": { cacheSeconds: 0, access: "lookup" },
  // It sees no body, so it can only refuse what bears no signature at all; the endpoint verifies the rest.
  "webhook-signature": { cacheSeconds: 0, access: "none" },
} as const satisfies Record<string, Credential>;

/** In local mode nobody brings a token, and everybody is let in. */
const noToken: Credential = { cacheSeconds: 0, access: "none" };

/** One authorizer for each credential that routes ask for. */
export class ApiAuthorizers extends Construct {
  readonly #byAuth = new Map<Auth, CfnAuthorizer>();
  /** What the authorizers are made from. */
  readonly definitions: readonly CfnAuthorizerProps[];

  constructor(api: CfnRestApi, service: Service, data: ServiceData) {
    super(api, "Authorizers");
    const wanted = new Set(service.routes.filter((route) => !route.streaming).map((route) => route.auth));
    wanted.delete("none");
    this.definitions = [...(wanted as Set<AuthorizedBy>)].map((auth) => {
      const localMode = service.config.settings.auth.AUTH_PROVIDER === "local";
      const credential: Credential = auth === "jwt" && localMode ? noToken : credentials[auth];
      const authorizer = new ServiceFunction(this, pascalCase(auth), {
        service,
        kind: "authorizer",
        name: `authorizer-${auth}`,
        entry: `functions/authorizers/${auth}.ts`,
        description: `Authorizer: ${auth}`,
        data,
        access: credential.access,
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
        name: nameOf(service, auth),
        type: "REQUEST",
        authorizerUri: invocationUri(authorizer),
        authorizerResultTtlInSeconds: credential.cacheSeconds,
        ...(credential.header && { identitySource: `method.request.header.${credential.header}` }),
      };
      this.#byAuth.set(auth, new CfnAuthorizer(this, `${pascalCase(auth)}Authorizer`, definition));
      return definition;
    });
  }

  /** The part of a method's definition that says who may call it. */
  authorization(auth: Auth): { authorizationType: string; authorizerId?: string } {
    const authorizer = this.#byAuth.get(auth);
    return authorizer ? { authorizationType: "CUSTOM", authorizerId: authorizer.ref } : { authorizationType: "NONE" };
  }
}
