import { Aws } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { usesOf } from "../functions/uses.ts";
import type { Route } from "../shared/api/define-route.ts";
import type { Bundle } from "./bundle/bundle.ts";
import type { Config } from "./config.ts";

/** Inputs that all stacks are built from. */
export interface StackContext {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly bundle: Bundle;
  /** Returns what a function uses, see `functions/uses.ts`. */
  readonly usesOf: typeof usesOf;
  /** Directory with the static site; tests of other parts omit it. */
  readonly siteDirectory?: string;
  readonly version: string;
}

/** Table and secrets, which all functions share. */
export interface DataResources {
  readonly table: Table;
  /** Reference to the secret of the deployment, which functions read at run time: `secret:<ARN>`. */
  readonly appSecret: string;
  /** Reference to the key of the operator, which its authorizer reads at run time. */
  readonly deploymentKey: string;
  /** Dynamic reference to the secret that CloudFront sends to its origins. */
  readonly originSecret: string;
  /** Dynamic references to the secrets that the origins accept, separated by a comma; the second may be empty. */
  readonly acceptedOriginSecrets: string;
}

/** Bucket of uploaded files and the queue of the job that reads them. */
export interface UploadResources {
  readonly bucketName: string;
  readonly bucketArn: string;
  readonly queueArn: string;
  readonly queueUrl: string;
}

/** Bucket of the files in messages. */
export interface AttachmentResources {
  readonly bucketName: string;
  readonly bucketArn: string;
}

/** Returns the bucket of the files in messages. Its name is known to other stacks without an export. */
export function attachmentBucket(context: StackContext): AttachmentResources {
  const bucketName = `${resourceName(context, "attachments")}-${Aws.ACCOUNT_ID}-${Aws.REGION}`;
  return { bucketName, bucketArn: `arn:${Aws.PARTITION}:s3:::${bucketName}` };
}

/** Returns the name of a resource in the account and region: `switchboard-dev-get-health`. */
export function resourceName({ config }: StackContext, part: string): string {
  return `switchboard-${config.stage}-${part}`;
}

/** Returns the name of a resource that is unique in the account over all regions, such as those of CloudFront. */
export function globalResourceName(context: StackContext, part: string): string {
  return `${resourceName(context, part)}-${Aws.REGION}`;
}
