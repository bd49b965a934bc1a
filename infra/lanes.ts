import type { Construct } from "constructs";

/**
 * Adds a construct to the parts of a stack, so that CloudFormation creates at most `lanes` of them concurrently: each part
 * depends on the one `lanes` positions before it. Otherwise CloudFormation creates all at once and exceeds the quotas of API
 * Gateway's control plane.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
export function inLanes<Part extends Construct>(parts: Part[], part: Part, lanes: number): void {
  const previous = parts.at(-lanes);
  if (parts.length >= lanes && previous) part.node.addDependency(previous);
  parts.push(part);
}
