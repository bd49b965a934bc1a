import openapi from "../../openapi.json" with { type: "json" };

interface DocumentedResponse {
  readonly $ref?: string;
  readonly headers?: object;
}
type Operations = Readonly<Record<string, { readonly responses: Readonly<Record<string, DocumentedResponse>> }>>;

/**
 * Headers that HTTP, browsers and proxies define and that the OpenAPI document therefore leaves out: they describe the transfer, or
 * are the same for all responses.
 */
const commonHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "date",
  "vary",
  "x-accel-buffering",
  "cache-control",
  "strict-transport-security",
  "x-content-type-options",
  "x-frame-options",
  "referrer-policy",
  "content-security-policy",
  "access-control-allow-origin",
  "access-control-expose-headers",
  "cross-origin-resource-policy",
  // API Gateway and Lambda add these in the cloud, and the local runner like them.
  "x-amzn-requestid",
  "x-amz-apigw-id",
  "x-amzn-errortype",
  // API Gateway gives this name to the header of a function.
  "x-amzn-remapped-www-authenticate",
]);

const paths = Object.entries(openapi.paths as unknown as Record<string, Operations>).map(([path, operations]) => ({
  path,
  operations,
  pattern: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+")}$`),
  parameters: path.split("{").length,
}));

function findResponse(method: string, pathname: string, status: number): DocumentedResponse | undefined {
  const candidates = paths.filter(({ pattern }) => pattern.test(pathname));
  const [match] = candidates.sort((a, b) => a.parameters - b.parameters);
  const response = match?.operations[method.toLowerCase()]?.responses[status];
  const shared = openapi.components.responses as Readonly<Record<string, DocumentedResponse>>;
  return response?.$ref ? shared[response.$ref.split("/").at(-1) ?? ""] : response;
}

/** Returns the headers of a response that the OpenAPI document does not declare; none if it does not list the response. */
export function findUndeclaredHeaders(method: string, path: string, response: Response): string[] {
  const documented = findResponse(method, path.split("?")[0] ?? "", response.status);
  if (!documented) return [];
  const declared = new Set(Object.keys(documented.headers ?? {}).map((name) => name.toLowerCase()));
  return [...response.headers.keys()].filter((name) => !declared.has(name) && !commonHeaders.has(name));
}
