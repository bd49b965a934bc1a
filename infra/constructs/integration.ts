import { Fn } from "aws-cdk-lib";

/** Returns the ARN of a function by name. A reference to a function of a nested stack would need a parameter for each. */
export const operationArn = (name: string): string =>
  Fn.sub(`arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}`);

/** Returns the URI by which API Gateway invokes a function. */
export const invocationUri = (name: string): string =>
  Fn.sub(
    `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/arn:\${AWS::Partition}:lambda:\${AWS::Region}:\${AWS::AccountId}:function:${name}/invocations`,
  );

/** Converts headers to API Gateway literals, which are in single quotes. Omits values that contain a single quote. */
export function literalHeaders(prefix: string, headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => !value.includes("'"))
      .map(([name, value]) => [`${prefix}.${name}`, `'${value}'`]),
  );
}
