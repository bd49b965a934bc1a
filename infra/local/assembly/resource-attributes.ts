import { account, arn, region, stableId, urlSuffix } from "./local-account.ts";

/** What CloudFormation says about a resource once it exists: the value of `Ref`, and those of `Fn::GetAtt`. */
export type Attributes = { ref: string; attributes: Record<string, string> };

/** A resource whose attributes are wanted. */
export type Subject = {
  type: string;
  /** Its explicit name, or the one derived from its stack and logical id. */
  name: string;
  /** Stack and logical id: what generated ids are made from. */
  path: string;
  /** A property, resolved. */
  property: (name: string) => string;
};

/** Addresses of the servers that stand in for AWS. */
export type Addresses = {
  /** Host and port of the gateway, which answers for every CloudFront distribution. */
  gateway: string;
  /** Base URL of the queues. */
  queues: string;
};

/** The property that holds a resource's explicit name, where it is not `Name`. */
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

/** The property in which a resource of this type may bear its name. */
export function nameProperty(type: string): string {
  return nameProperties[type] ?? "Name";
}

type Describe = (subject: Subject, addresses: Addresses) => Attributes;

const named =
  (attributes: (name: string) => Record<string, string>): Describe =>
  ({ name }) => ({ ref: name, attributes: attributes(name) });

const identified: Describe = ({ path }) => ({ ref: stableId(path), attributes: {} });

const table = named((name) => ({
  Arn: arn("dynamodb", `table/${name}`),
  StreamArn: arn("dynamodb", `table/${name}/stream/2026-01-01T00:00:00.000`),
}));

const describers: Record<string, Describe> = {
  "AWS::ApiGateway::Authorizer": identified,
  "AWS::ApiGateway::Deployment": identified,
  "AWS::ApiGateway::Resource": identified,
  "AWS::ApiGateway::RestApi": ({ path }) => ({
    ref: stableId(path),
    attributes: { RestApiId: stableId(path), RootResourceId: stableId(`${path}/`) },
  }),
  "AWS::ApiGateway::Stage": ({ property }) => ({ ref: property("StageName"), attributes: {} }),
  "AWS::CloudFront::Distribution": ({ path }, { gateway }) => ({
    ref: stableId(path, 14).toUpperCase(),
    attributes: { DomainName: gateway, Id: stableId(path, 14).toUpperCase() },
  }),
  "AWS::CloudFront::Function": named((name) => {
    const functionArn = arn("cloudfront", `function/${name}`);
    return { FunctionARN: functionArn, "FunctionMetadata.FunctionARN": functionArn, Stage: "LIVE" };
  }),
  "AWS::CloudFront::ResponseHeadersPolicy": identified,
  "AWS::CloudFront::OriginRequestPolicy": identified,
  "AWS::DynamoDB::GlobalTable": table,
  "AWS::DynamoDB::Table": table,
  "AWS::IAM::Role": ({ name, path }) => ({
    ref: name,
    attributes: { Arn: arn("iam", `role/${name}`), RoleId: stableId(path, 20).toUpperCase() },
  }),
  "AWS::Lambda::Alias": ({ property }) => {
    const ref = `${arnOfFunction(property("FunctionName"))}:${property("Name")}`;
    return { ref, attributes: { AliasArn: ref } };
  },
  "AWS::Lambda::Function": named((name) => ({ Arn: arn("lambda", `function:${name}`) })),
  "AWS::Lambda::Url": ({ path, property }) => ({
    ref: property("TargetFunctionArn"),
    attributes: {
      FunctionArn: property("TargetFunctionArn"),
      FunctionUrl: `https://${stableId(path, 32)}.lambda-url.${region}.on.aws/`,
    },
  }),
  "AWS::Lambda::Version": ({ property }) => {
    const ref = `${arnOfFunction(property("FunctionName"))}:1`;
    return { ref, attributes: { FunctionArn: ref, Version: "1" } };
  },
  "AWS::Logs::LogGroup": named((name) => ({ Arn: arn("logs", `log-group:${name}:*`) })),
  "AWS::S3::Bucket": named((name) => ({
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

/** What `Ref` and `Fn::GetAtt` give for a resource; types without an entry above have their name and a plausible ARN. */
export function attributesOf(subject: Subject, addresses: Addresses): Attributes {
  const describe = describers[subject.type];
  if (describe) return describe(subject, addresses);
  const [, service = "custom", kind = "resource"] = subject.type.toLowerCase().split("::");
  return {
    ref: subject.name,
    attributes: { Arn: arn(service, `${kind}/${subject.name}`), Id: stableId(subject.path) },
  };
}

function arnOfFunction(nameOrArn: string): string {
  return nameOrArn.startsWith("arn:") ? nameOrArn : arn("lambda", `function:${nameOrArn}`);
}
