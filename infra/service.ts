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

/** The name a part of the service has in its account: `switchboard-dev-get-health`. */
export function nameOf({ config }: Service, part: string): string {
  return `switchboard-${config.stage}-${part}`;
}
