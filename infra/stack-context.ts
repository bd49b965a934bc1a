import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { Route } from "../shared/api/define-route.ts";
import type { Bundle } from "./bundle.ts";
import type { Config } from "./config.ts";

/** What is to be deployed: every stack is made from this. */
export interface Service {
  readonly config: Config;
  readonly routes: readonly Route[];
  readonly bundle: Bundle;
  readonly version: string;
}

/** What the functions share, and what outlives them. */
export interface ServiceData {
  readonly table: Table;
  /** The deployment's secret: a reference, which CloudFormation resolves. */
  readonly appSecret: string;
  /** What CloudFront shows to its origins; a reference, too. */
  readonly originSecret: string;
}

/** The name a part of the service has in its account: `switchboard-dev-get-health`. */
export function nameOf({ config }: Service, part: string): string {
  return `switchboard-${config.stage}-${part}`;
}
