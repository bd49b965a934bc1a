import type { Construct } from "constructs";

/**
 * Adds a construct to those that CloudFormation creates one after another in a number of lanes: each depends on the one that was
 * added as many places before it. Without lanes, it creates all resources at once, against the quotas of API Gateway's control
 * plane.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
export function inLanes<Part extends Construct>(parts: Part[], part: Part, lanes: number): void {
  const previous = parts.at(-lanes);
  if (parts.length >= lanes && previous) part.node.addDependency(previous);
  parts.push(part);
}
