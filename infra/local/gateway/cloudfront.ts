import type { ServerResponse } from "node:http";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { type Fields, fields, isFields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { type GatewayRequest, type OriginHandler, sendResponse } from "./gateway-request.ts";
import { viewerFunction } from "./viewer-function.ts";

interface Behavior {
  matches: (path: string) => boolean;
  methods: Set<string>;
  origin: OriginHandler;
}

/**
 * Emulates the CloudFront distribution of the app: selects a cache behavior by path, and forwards the request to its origin
 * with the origin path and custom headers. Nothing is cached. Returns undefined when the app has no distribution.
 * @param origins origins by host name
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/DownloadDistValuesCacheBehavior.html
 */
export function distribution(deployment: Deployment, origins: Map<string, OriginHandler>): OriginHandler | undefined {
  const [resource] = deployment.resources("AWS::CloudFront::Distribution");
  if (!resource) return undefined;
  const config = fields(resource.properties.DistributionConfig);
  const policies = new Map(
    deployment.resources("AWS::CloudFront::ResponseHeadersPolicy").map((policy) => [policy.ref, policy]),
  );
  const byId = new Map(list(config.Origins).map((origin) => [fields(origin).Id, toOrigin(fields(origin), origins)]));
  const functions = new Map(
    deployment
      .resources("AWS::CloudFront::Function")
      .map(({ attributes, properties }) => [attributes.FunctionARN, viewerFunction(String(properties.FunctionCode))]),
  );
  const toBehavior = (value: unknown): Behavior => {
    const { PathPattern, AllowedMethods, TargetOriginId, ResponseHeadersPolicyId, FunctionAssociations, Compress } =
      fields(value);
    const origin = byId.get(TargetOriginId) ?? unreachableOrigin(String(TargetOriginId));
    const policy = policies.get(text(ResponseHeadersPolicyId) ?? "");
    const association = list(FunctionAssociations ?? [])
      .map(fields)
      .find(({ EventType }) => EventType === "viewer-request");
    const transform = functions.get(String(association?.FunctionARN)) ?? ((request: GatewayRequest) => request);
    return {
      matches: pathMatcher(text(PathPattern) ?? "*"),
      methods: new Set(list(AllowedMethods ?? ["GET", "HEAD"]).map(String)),
      origin: (request) =>
        origin({
          ...transform(request),
          compress: Compress === true,
          ...(policy && { decorate: headersPolicyDecorator(policy) }),
        }),
    };
  };
  const behaviors = [...list(config.CacheBehaviors), config.DefaultCacheBehavior].map(toBehavior);
  return async (request) => {
    const selected = behaviors.find(({ matches }) => matches(request.path));
    if (!selected?.methods.has(request.method)) {
      sendResponse(
        request,
        403,
        [["content-type", "text/html"]],
        "This distribution is not configured to allow the HTTP method.",
      );
    } else await selected.origin(request);
  };
}

/** Compiles a path pattern: `*` matches any text, `?` one character. Case-sensitive. */
function pathMatcher(pattern: string): (path: string) => boolean {
  if (pattern === "*" || pattern === "/*") return () => true;
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^/?${escaped.replace(/^\//, "")}$`, "s");
  return (path) => expression.test(path);
}

function toOrigin(settings: Fields, origins: Map<string, OriginHandler>): OriginHandler {
  const { DomainName, OriginPath, OriginCustomHeaders, CustomOriginConfig } = settings;
  const domain = String(DomainName);
  const origin = origins.get(domain) ?? unreachableOrigin(domain);
  const prefix = text(OriginPath) ?? "";
  const custom = list(OriginCustomHeaders).map((header): [string, string] => [
    String(fields(header).HeaderName),
    String(fields(header).HeaderValue),
  ]);
  const replaced = new Set(["host", ...custom.map(([name]) => name.toLowerCase())]);
  const readTimeoutMs = number(fields(CustomOriginConfig).OriginReadTimeout, 30) * 1000;
  return (request) => {
    const forwarded = request.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
    enforceReadTimeout(request, readTimeoutMs);
    return origin({ ...request, path: prefix + request.path, headers: [["Host", domain], ...forwarded, ...custom] });
  };
}

/**
 * Enforces the origin response timeout, which CloudFront applies to the first and every further packet. This implementation
 * checks once per interval, so the effective timeout is up to twice as long.
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/DownloadDistValuesOrigin.html#DownloadDistValuesOriginResponseTimeout
 */
function enforceReadTimeout(request: GatewayRequest, readTimeoutMs: number): void {
  const { response } = request;
  const bytesWritten = () => response.socket?.bytesWritten ?? 0;
  let previousBytes = bytesWritten();
  const timer = setInterval(() => {
    const isSilent = bytesWritten() === previousBytes && !response.writableNeedDrain;
    previousBytes = bytesWritten();
    if (!isSilent || response.writableEnded) return;
    warn("gateway", `${request.method} ${request.path}: origin response timeout after ${readTimeoutMs / 1000} s`);
    if (response.headersSent) response.destroy();
    else sendResponse(request, 504, [["content-type", "text/html"]], "The origin did not respond in time.");
  }, readTimeoutMs);
  response.once("close", () => clearInterval(timer));
}

function unreachableOrigin(name: string): OriginHandler {
  warn(
    "gateway",
    `origin ${name} of the distribution is not a REST API or function URL of this app; it responds with 502`,
  );
  return async (request: GatewayRequest) =>
    sendResponse(request, 502, [["content-type", "text/plain"]], `Origin ${name} does not run locally.`);
}

/**
 * Returns a function that sets the headers of a CloudFront response headers policy.
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html
 */
function headersPolicyDecorator(policy: DeployedResource): (response: ServerResponse) => void {
  const config = fields(policy.properties.ResponseHeadersPolicyConfig);
  const removed = list(fields(config.RemoveHeadersConfig).Items).map((item) => String(fields(item).Header));
  const custom = list(fields(config.CustomHeadersConfig).Items).map((item) => {
    const { Header, Value, Override } = fields(item);
    return { name: String(Header), value: String(Value), override: Override === true };
  });
  const added = [...custom, ...securityHeaders(fields(config.SecurityHeadersConfig))];
  return (response) => {
    for (const name of removed) response.removeHeader(name);
    for (const { name, value, override } of added) {
      if (override || !response.hasHeader(name)) response.setHeader(name, value);
    }
  };
}

function securityHeaders(config: Fields): { name: string; value: string; override: boolean }[] {
  const values: Record<string, (settings: Fields) => [name: string, value: unknown]> = {
    ContentSecurityPolicy: ({ ContentSecurityPolicy }) => ["content-security-policy", ContentSecurityPolicy],
    ContentTypeOptions: () => ["x-content-type-options", "nosniff"],
    FrameOptions: ({ FrameOption }) => ["x-frame-options", FrameOption],
    ReferrerPolicy: ({ ReferrerPolicy }) => ["referrer-policy", ReferrerPolicy],
    StrictTransportSecurity: ({ AccessControlMaxAgeSec, IncludeSubdomains, Preload }) => [
      "strict-transport-security",
      `max-age=${AccessControlMaxAgeSec}${IncludeSubdomains ? "; includeSubDomains" : ""}${Preload ? "; preload" : ""}`,
    ],
    XSSProtection: ({ Protection, ModeBlock }) => [
      "x-xss-protection",
      `${Protection ? 1 : 0}${ModeBlock ? "; mode=block" : ""}`,
    ],
  };
  return Object.entries(values).flatMap(([key, toHeader]) => {
    const settings = config[key];
    if (!isFields(settings)) return [];
    const [name, value] = toHeader(settings);
    return [{ name, value: String(value), override: settings.Override === true }];
  });
}
