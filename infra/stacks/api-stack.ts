import { RemovalPolicy, Stack, Validations } from "aws-cdk-lib";
import { CfnAccount } from "aws-cdk-lib/aws-apigateway";
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { Route } from "../../shared/api/define-route.ts";
import { ApiAuthorizers } from "../constructs/api-authorizers.ts";
import { ApiFunctions, notFoundName } from "../constructs/api-functions.ts";
import { invocationUri } from "../constructs/integration.ts";
import { InvokeRole } from "../constructs/invoke-role.ts";
import { RestApi } from "../constructs/rest-api.ts";
import { kebabCase } from "../naming.ts";
import { type DataResources, operationName, resourceName, type StackContext } from "../stack-context.ts";

/**
 * Beginnings of the paths of administrators and programs. They are in an API of their own, because API Gateway allows 300 paths
 * for each.
 */
const administrationPaths = [
  "/openai",
  "/scim",
  "/v1/admin",
  "/v1/event-endpoints",
  "/v1/messengers",
  "/v1/tenant",
  "/v1/webhooks",
];

const isAdministration = ({ path }: Pick<Route, "path">) => administrationPaths.some((first) => path.startsWith(first));

/** Stack of the REST APIs, which serve all routes that do not stream. */
export class ApiStack extends Stack {
  /** API of all paths without one of their own. */
  readonly api: RestApi;
  /** API of administrators and programs, with the path patterns by which CloudFront selects it; null without such a route. */
  readonly administration: { readonly api: RestApi; readonly pathPatterns: readonly string[] } | null;

  constructor(scope: Construct, id: string, context: StackContext, data: DataResources) {
    super(scope, id, { description: "Switchboard: the REST API" });
    // APIs of one name share their metrics, so that alarms watch both at the price of one.
    const title = resourceName(context, "api");
    const regular = context.routes.filter(({ streaming }) => !streaming);
    const authorizers = new ApiAuthorizers(this, context, regular, data);
    const functions = new ApiFunctions(this, context, regular, data);
    const credentials = new InvokeRole(this, "InvokeOperationsRole", [operationName(context, "*")]).roleArn;
    const accessLog = new LogGroup(this, "AccessLog", {
      logGroupName: `/aws/apigateway/${title}`,
      retention: context.config.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logging = configureApiLogging(this);
    const createApi = (name: string, routes: readonly Route[]) =>
      new RestApi(this, name, {
        context,
        accessLog,
        logging,
        functions: [authorizers, functions],
        document: {
          title,
          routes,
          securitySchemes: authorizers.securitySchemes,
          invocationUri: ({ id }) => invocationUri(operationName(context, kebabCase(id))),
          notFoundUri: invocationUri(operationName(context, notFoundName)),
          credentials,
        },
      });
    const administration = regular.filter(isAdministration);
    this.api = createApi(
      "Api",
      regular.filter((route) => !isAdministration(route)),
    );
    this.administration =
      administration.length === 0
        ? null
        : {
            api: createApi("Administration", administration),
            pathPatterns: administrationPaths.map((first) => `${first}*`),
          };
    Validations.of(this).acknowledge(
      { id: "AwsSolutions-APIG2", reason: "The functions validate requests with the schemas of the routes." },
      {
        id: "AwsSolutions-APIG3",
        reason:
          "A production stage has a web ACL by default in us-east-1; elsewhere, throttles bound each method, not the stage.",
      },
      {
        id: "AwsSolutions-COG4",
        reason: "Tokens are issued by the operator's identity provider, keys by the service.",
      },
    );
  }
}

/**
 * Sets the role with which API Gateway writes logs. It is a setting of the whole account, so it stays when the stack is
 * deleted.
 */
function configureApiLogging(scope: Construct): CfnAccount {
  const role = new Role(scope, "LogsRole", {
    assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
    managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName("service-role/AmazonAPIGatewayPushToCloudWatchLogs")],
  });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  Validations.of(role).acknowledge({
    id: "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
    reason: "AWS provides this policy for the API Gateway logging role, which is account-wide.",
  });
  const account = new CfnAccount(scope, "Account", { cloudWatchRoleArn: role.roleArn });
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return account;
}
