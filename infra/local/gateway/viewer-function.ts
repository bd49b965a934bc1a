import { runInNewContext } from "node:vm";
import type { GatewayRequest } from "./gateway-request.ts";

/**
 * Compiles a CloudFront function for viewer requests. Locally, it can change only headers and path.
 * @param code JavaScript that defines `handler(event)`
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html
 */
export function viewerFunction(code: string): (request: GatewayRequest) => GatewayRequest {
  const handler = runInNewContext(`${code};handler`) as (event: unknown) => ViewerRequest;
  return (request) => {
    const { method, path: uri, sourceIp: ip } = request;
    const { headers, uri: path } = handler({
      version: "1.0",
      context: { eventType: "viewer-request" },
      viewer: { ip },
      request: { method, uri, headers: viewerHeaders(request) },
    });
    return {
      ...request,
      path,
      headers: Object.entries(headers).flatMap(([name, header]) => toHeaderLines(name, header)),
    };
  };
}

/** Request as a CloudFront function returns it. */
interface ViewerRequest {
  readonly uri: string;
  readonly headers: Record<string, ViewerHeader>;
}

/** Header in the event of a CloudFront function; `multiValue` is present if the header is repeated. */
interface ViewerHeader {
  readonly value: string;
  readonly multiValue?: readonly { readonly value: string }[];
}

function viewerHeaders({ headers }: GatewayRequest): Record<string, ViewerHeader> {
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, lines]) => {
      const values = lines.map(([, value]) => ({ value }));
      return [name, { value: values[0]?.value ?? "", ...(values.length > 1 && { multiValue: values }) }];
    }),
  );
}

const toHeaderLines = (name: string, { value, multiValue = [{ value }] }: ViewerHeader) =>
  multiValue.map((line): [string, string] => [name, line.value]);
