import { Aws, RemovalPolicy, type Stack } from "aws-cdk-lib";
import { CfnTable } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { CfnBucket } from "aws-cdk-lib/aws-s3";
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import { CfnQueue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { resourceName, type StackContext } from "../stack-context.ts";

/** Services that encrypt data with the key on behalf of a function. */
const services = ["dynamodb", "s3", "secretsmanager", "sqs"];

/** Beginnings of the names of actions that encrypt: writes of items, objects and messages. */
const encryptingAction = /^(dynamodb:(Put|Update|Delete|BatchWrite)|s3:Put|sqs:SendMessage)/;

const readActions = ["kms:Decrypt", "kms:DescribeKey"];
const writeActions = [
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

/** Key of the deployment's own account, which rotates once a year. Without it, no data can be read, so that it stays. */
export class CustomerKey extends Key {
  constructor(scope: Construct, id: string, context: StackContext) {
    const { retainData } = context.config;
    super(scope, id, {
      alias: resourceName(context, "data"),
      description: "Encrypts the table, buckets, queues and secrets",
      enableKeyRotation: true,
      removalPolicy: retainData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    // Events of buckets are sent to queues by these services, which have no role.
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: ["s3", "events"].map((service) => new ServicePrincipal(`${service}.amazonaws.com`)),
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        resources: ["*"],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    );
  }
}

/**
 * Returns the IAM statement with which a function uses the key through the services that its other statements name; none if it
 * uses no encrypted data.
 */
export function keyStatements(keyArn: string, statements: readonly PolicyStatement[]): PolicyStatement[] {
  const actions = statements.flatMap((statement) => statement.actions);
  const used = services.filter((service) => actions.some((action) => action.startsWith(`${service}:`)));
  if (used.length === 0) return [];
  return [
    new PolicyStatement({
      actions: [...readActions, ...(actions.some((action) => encryptingAction.test(action)) ? writeActions : [])],
      resources: [keyArn],
      conditions: { StringEquals: { "kms:ViaService": used.map((name) => `${name}.${Aws.REGION}.amazonaws.com`) } },
    }),
  ];
}

/** Encrypts all tables, buckets, queues and secrets of stacks with a key. */
export function encryptData(stacks: readonly Stack[], keyArn: string): void {
  for (const resource of stacks.flatMap(({ node }) => node.findAll())) {
    if (resource instanceof CfnTable) {
      resource.sseSpecification = { sseEnabled: true, sseType: "KMS", kmsMasterKeyId: keyArn };
    } else if (resource instanceof CfnBucket) {
      const serverSideEncryptionByDefault = { sseAlgorithm: "aws:kms", kmsMasterKeyId: keyArn };
      resource.bucketEncryption = {
        serverSideEncryptionConfiguration: [{ bucketKeyEnabled: true, serverSideEncryptionByDefault }],
      };
    } else if (resource instanceof CfnQueue) {
      resource.sqsManagedSseEnabled = undefined;
      resource.kmsMasterKeyId = keyArn;
      // Each data key is a paid request: the default of five minutes takes twelve times as many.
      resource.kmsDataKeyReusePeriodSeconds = 3_600;
    } else if (resource instanceof CfnSecret) {
      resource.kmsKeyId = keyArn;
    }
  }
}
