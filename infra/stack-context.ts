import { Aws } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Route } from "../shared/api/define-route.ts";
import type { AssetSource, Bundle } from "./bundle/bundle-plan.ts";
import type { Config } from "./config.ts";
import type { UsesOf } from "./rights/uses.ts";

/** Inputs of all stacks. */
export interface StackContext {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly bundle: Bundle;
  readonly usesOf: UsesOf;
  /** Files of the static site; absent only in tests of other parts. */
  readonly site?: AssetSource;
  readonly version: string;
}

/** Table and secrets, which all functions share. */
export interface DataResources {
  readonly table: Table;
  /** ARN of the customer-managed key; undefined if the keys of AWS encrypt the data. */
  readonly keyArn: string | undefined;
  /** Reference to the app secret, which functions read at run time: `secret:<ARN>`. */
  readonly appSecret: string;
  /** Reference to the operator's deployment key, which functions read at run time. */
  readonly deploymentKey: string;
  /** Reference to the secret that CloudFront sends to its origins, which functions read at run time. */
  readonly originSecret: string;
  /** Dynamic references to the values of the origin secret, for CloudFront and its web ACL; `previous` can be empty. */
  readonly originSecretValues: { readonly current: string; readonly previous: string };
}

/** Queue of the job that extracts the text of uploaded files. */
export interface UploadResources {
  readonly queueArn: string;
  readonly queueUrl: string;
}

/**
 * Returns the names of the buckets that functions use, by the variables that name them. They are known before the buckets exist,
 * so that no stack exports them.
 */
export function bucketNames(context: StackContext) {
  const named = (part: string) => `${resourceName(context, part)}-${Aws.ACCOUNT_ID}-${Aws.REGION}`;
  return {
    ATTACHMENT_BUCKET: named("attachments"),
    UPLOAD_BUCKET: named("uploads"),
  };
}

/** Returns the name of a resource that is unique in an account and region: `switchboard-dev-start-chat`. */
export function resourceName({ config }: StackContext, part: string): string {
  return `switchboard-${config.stage}-${part}`;
}

/**
 * Returns the name of a function that the REST API invokes: `switchboard-dev_get-health`. Its role allows all names with this
 * prefix; no name of a stage continues it, because those have no underscore.
 */
export function operationName({ config }: StackContext, part: string): string {
  return `switchboard-${config.stage}_${part}`;
}

/** Returns the name of a resource that is unique in an account across regions, such as those of CloudFront. */
export function globalResourceName(context: StackContext, part: string): string {
  return `${resourceName(context, part)}-${Aws.REGION}`;
}
