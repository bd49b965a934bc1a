import type { Construct } from "constructs";

/**
 * Adds a construct to parallel lanes, in each of which CloudFormation creates one construct after another: with three lanes,
 * each construct depends on the third one before it. Without lanes, it creates all resources at once, against the quotas of
 * API Gateway's control plane.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
export function inLanes<Part extends Construct>(parts: Part[], part: Part, lanes: number): void {
  const previous = parts.at(-lanes);
  if (parts.length >= lanes && previous) part.node.addDependency(previous);
  parts.push(part);
}
