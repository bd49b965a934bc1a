import { Aws, Validations } from "aws-cdk-lib";
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { operationArn } from "./integration.ts";

/**
 * Role with which API Gateway invokes functions. It replaces a permission on each of them.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/permissions.html
 */
export class InvokeRole extends Role {
  /** @param functions names of functions, or patterns of names */
  constructor(scope: Construct, id: string, functions: readonly string[]) {
    super(scope, id, {
      // The ARN of the API, which confused-deputy conditions prefer, would be a circular reference.
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        invoke: new PolicyDocument({
          statements: [
            new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: functions.map(operationArn) }),
          ],
        }),
      },
    });
    for (const name of functions.filter((each) => each.endsWith("*"))) {
      Validations.of(this).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${name}]`,
        reason: "The API invokes each of the functions with this prefix, which no other function has.",
      });
    }
  }
}
