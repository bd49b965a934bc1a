import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Route } from "../shared/api/define-route.ts";
import type { Bundle } from "./bundle.ts";
import type { Config } from "./config.ts";

/** Inputs that all stacks are built from. */
export interface StackContext {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly bundle: Bundle;
  /** Directory with the static site; tests of other parts omit it. */
  readonly siteDirectory?: string;
  readonly version: string;
}

/** Table and secrets, which all functions share. */
export interface DataResources {
  readonly table: Table;
  /** Reference to the secret of the deployment, which functions read at run time: `secret:<ARN>`. */
  readonly appSecret: string;
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

/** Returns the name of a resource in the account: `switchboard-dev-get-health`. */
export function resourceName({ config }: StackContext, part: string): string {
  return `switchboard-${config.stage}-${part}`;
}
