import { runInNewContext } from "node:vm";
import type { Exchange } from "./gateway-request.ts";

/**
 * A CloudFront function that sees each request before anything else does. Here it may change headers, and nothing else.
 * @param code defines `handler(event)`
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
 */
export function viewerFunction(code: string): (exchange: Exchange) => Exchange {
  const handler = runInNewContext(`${code};handler`) as (event: unknown) => { headers: Record<string, ViewerHeader> };
  return (exchange) => {
    const { method, path: uri, sourceIp: ip } = exchange;
    const request = { method, uri, headers: viewerHeaders(exchange) };
    const { headers } = handler({ version: "1.0", context: { eventType: "viewer-request" }, viewer: { ip }, request });
    return { ...exchange, headers: Object.entries(headers).flatMap(([name, each]) => linesOf(name, each)) };
  };
}

/** A header as such a function sees it; `multiValue` where the request has it more than once. */
interface ViewerHeader {
  readonly value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

function viewerHeaders({ headers }: Exchange): Record<string, ViewerHeader> {
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, lines]) => {
      const values = lines.map(([, value]) => ({ value }));
      return [name, { value: values[0]?.value ?? "", ...(values.length > 1 && { multiValue: values }) }];
    }),
  );
}

const linesOf = (name: string, { value, multiValue = [{ value }] }: ViewerHeader) =>
  multiValue.map((each): [string, string] => [name, each.value]);
