import { findDenial } from "../functions/authorization.ts";
import type { LambdaFunction } from "../functions/lambda-function.ts";
import { warn } from "../log.ts";

/** Returns true if the role of a function allows Lambda's actions on an event source or a failure destination. */
export function isPermitted(lambda: LambdaFunction, service: string, actions: string[], resource: string): boolean {
  const denials = actions.flatMap((name) => findDenial(lambda.role, { action: `${service}:${name}`, resource }) ?? []);
  for (const denial of denials) warn(lambda.name, denial);
  return denials.length === 0;
}
