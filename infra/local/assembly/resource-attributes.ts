import { account, arn, region, stableId, urlSuffix } from "./local-account.ts";

/** Return values of a resource: `Ref` and the attributes of `Fn::GetAtt`. */
export interface ResourceAttributes {
  ref: string;
  attributes: Record<string, string>;
}

interface ResourceDescription {
  type: string;
  /** Name from the template, or a name that is derived from stack and logical id. */
  name: string;
  /** Stack and logical id, from which generated ids are derived. */
  path: string;
  /** Returns a property with its intrinsic functions resolved. */
  property: (name: string) => string;
}

/** Addresses of the local servers that stand for AWS endpoints. */
export interface Addresses {
  /** Host and port of the gateway, which serves every CloudFront distribution. */
  gateway: string;
  /** Base URL of the SQS queues. */
  queues: string;
}

/** Name of the property with a resource's name, for types that do not call it `Name`. */
const nameProperties: Record<string, string> = {
  "AWS::DynamoDB::GlobalTable": "TableName",
  "AWS::DynamoDB::Table": "TableName",
  "AWS::IAM::Role": "RoleName",
  "AWS::Lambda::Function": "FunctionName",
  "AWS::Logs::LogGroup": "LogGroupName",
  "AWS::S3::Bucket": "BucketName",
  "AWS::SNS::Topic": "TopicName",
  "AWS::SQS::Queue": "QueueName",
};

/** Returns the name of the property that holds the explicit name of a resource of this type. */
export function namePropertyOf(type: string): string {
  return nameProperties[type] ?? "Name";
}

type AttributeProvider = (resource: ResourceDescription, addresses: Addresses) => ResourceAttributes;

const refIsName =
  (attributes: (name: string) => Record<string, string>): AttributeProvider =>
  ({ name }) => ({ ref: name, attributes: attributes(name) });

const refIsGeneratedId: AttributeProvider = ({ path }) => ({ ref: stableId(path), attributes: {} });

const table = refIsName((name) => ({
  Arn: arn("dynamodb", `table/${name}`),
  StreamArn: arn("dynamodb", `table/${name}/stream/2026-01-01T00:00:00.000`),
}));

const providers: Record<string, AttributeProvider> = {
  "AWS::ApiGateway::Deployment": refIsGeneratedId,
  "AWS::ApiGateway::RestApi": refIsGeneratedId,
  "AWS::ApiGateway::Stage": ({ property }) => ({ ref: property("StageName"), attributes: {} }),
  "AWS::CloudFront::Distribution": ({ path }, { gateway }) => ({
    ref: stableId(path, 14).toUpperCase(),
    attributes: { DomainName: gateway, Id: stableId(path, 14).toUpperCase() },
  }),
  "AWS::CloudFront::Function": refIsName((name) => {
    const functionArn = arn("cloudfront", `function/${name}`);
    return { FunctionARN: functionArn, "FunctionMetadata.FunctionARN": functionArn, Stage: "LIVE" };
  }),
  "AWS::CloudFront::ResponseHeadersPolicy": refIsGeneratedId,
  "AWS::CloudFront::OriginRequestPolicy": refIsGeneratedId,
  "AWS::DynamoDB::GlobalTable": table,
  "AWS::DynamoDB::Table": table,
  "AWS::IAM::Role": ({ name, path }) => ({
    ref: name,
    attributes: { Arn: arn("iam", `role/${name}`), RoleId: stableId(path, 20).toUpperCase() },
  }),
  "AWS::Lambda::Alias": ({ property }) => {
    const ref = `${toFunctionArn(property("FunctionName"))}:${property("Name")}`;
    return { ref, attributes: { AliasArn: ref } };
  },
  "AWS::Lambda::Function": refIsName((name) => ({ Arn: arn("lambda", `function:${name}`) })),
  "AWS::Lambda::Url": ({ path, property }) => ({
    ref: property("TargetFunctionArn"),
    attributes: {
      FunctionArn: property("TargetFunctionArn"),
      FunctionUrl: `https://${stableId(path, 32)}.lambda-url.${region}.on.aws/`,
    },
  }),
  "AWS::Lambda::Version": ({ property }) => {
    const ref = `${toFunctionArn(property("FunctionName"))}:1`;
    return { ref, attributes: { FunctionArn: ref, Version: "1" } };
  },
  "AWS::Logs::LogGroup": refIsName((name) => ({ Arn: arn("logs", `log-group:${name}:*`) })),
  "AWS::S3::Bucket": refIsName((name) => ({
    Arn: `arn:aws:s3:::${name}`,
    DomainName: `${name}.s3.${urlSuffix}`,
    RegionalDomainName: `${name}.s3.${region}.${urlSuffix}`,
  })),
  "AWS::SecretsManager::Secret": ({ name, path }) => {
    const ref = arn("secretsmanager", `secret:${name}-${stableId(path, 6)}`);
    return { ref, attributes: { Id: ref } };
  },
  "AWS::SNS::Topic": ({ name }) => {
    const ref = arn("sns", name);
    return { ref, attributes: { TopicArn: ref, TopicName: name } };
  },
  "AWS::SQS::Queue": ({ name }, { queues }) => {
    const url = `${queues}/${account}/${name}`;
    return { ref: url, attributes: { Arn: arn("sqs", name), QueueName: name, QueueUrl: url } };
  },
  "AWS::SSM::Parameter": ({ name, property }) => ({
    ref: name,
    attributes: { Type: "String", Value: property("Value") },
  }),
};

/** Returns the values of `Ref` and `Fn::GetAtt` for a resource. Unlisted types get their name and a plausible ARN. */
export function resourceAttributesOf(resource: ResourceDescription, addresses: Addresses): ResourceAttributes {
  const provider = providers[resource.type];
  if (provider) return provider(resource, addresses);
  const [, service = "custom", kind = "resource"] = resource.type.toLowerCase().split("::");
  return {
    ref: resource.name,
    attributes: { Arn: arn(service, `${kind}/${resource.name}`), Id: stableId(resource.path) },
  };
}

function toFunctionArn(nameOrArn: string): string {
  return nameOrArn.startsWith("arn:") ? nameOrArn : arn("lambda", `function:${nameOrArn}`);
}
