import type { ServerResponse } from "node:http";
import type { Deployed, Deployment } from "../assembly/deployment.ts";
import { type Fields, fields, isFields, list, number, text } from "../json.ts";
import { warn } from "../log.ts";
import { type Exchange, type Origin, send } from "./gateway-request.ts";
import { viewerFunction } from "./viewer-function.ts";

type Behaviour = {
  matches: (path: string) => boolean;
  methods: Set<string>;
  origin: Origin;
};

/**
 * The app's CloudFront distribution as one origin: picks a cache behaviour by path and hands the request to its origin with the
 * origin's path and custom headers. Nothing is cached. Without a distribution, the first of `origins` answers.
 * @param origins by host name
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/DownloadDistValuesCacheBehavior.html
 */
export function distribution(deployment: Deployment, origins: Map<string, Origin>): Origin | undefined {
  const [found] = deployment.resources("AWS::CloudFront::Distribution");
  if (!found) return undefined;
  const config = fields(found.properties.DistributionConfig);
  const policies = new Map(
    deployment.resources("AWS::CloudFront::ResponseHeadersPolicy").map((policy) => [policy.ref, policy]),
  );
  const byId = new Map(list(config.Origins).map((origin) => [fields(origin).Id, originOf(fields(origin), origins)]));
  const functions = new Map(
    deployment
      .resources("AWS::CloudFront::Function")
      .map(({ attributes, properties }) => [attributes.FunctionARN, viewerFunction(String(properties.FunctionCode))]),
  );
  const behaviour = (value: unknown): Behaviour => {
    const { PathPattern, AllowedMethods, TargetOriginId, ResponseHeadersPolicyId, FunctionAssociations } =
      fields(value);
    const origin = byId.get(TargetOriginId) ?? unreachable(String(TargetOriginId));
    const policy = policies.get(text(ResponseHeadersPolicyId) ?? "");
    const onRequest = list(FunctionAssociations ?? [])
      .map(fields)
      .find(({ EventType }) => EventType === "viewer-request");
    const edit = functions.get(String(onRequest?.FunctionARN)) ?? ((exchange: Exchange) => exchange);
    return {
      matches: pathMatcher(text(PathPattern) ?? "*"),
      methods: new Set(list(AllowedMethods ?? ["GET", "HEAD"]).map(String)),
      origin: (exchange) => origin({ ...edit(exchange), ...(policy && { decorate: decorator(policy) }) }),
    };
  };
  const behaviours = [...list(config.CacheBehaviors), config.DefaultCacheBehavior].map(behaviour);
  return async (exchange) => {
    const chosen = behaviours.find(({ matches }) => matches(exchange.path));
    if (!chosen?.methods.has(exchange.method))
      send(
        exchange,
        403,
        [["content-type", "text/html"]],
        "This distribution is not configured to allow the HTTP method.",
      );
    else await chosen.origin(exchange);
  };
}

/** `*` stands for any text, `?` for one character; letters are case-sensitive. */
function pathMatcher(pattern: string): (path: string) => boolean {
  if (pattern === "*" || pattern === "/*") return () => true;
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^/?${escaped.replace(/^\//, "")}$`, "s");
  return (path) => expression.test(path);
}

function originOf(settings: Fields, origins: Map<string, Origin>): Origin {
  const { DomainName, OriginPath, OriginCustomHeaders, CustomOriginConfig } = settings;
  const domain = String(DomainName);
  const origin = origins.get(domain) ?? unreachable(domain);
  const prefix = text(OriginPath) ?? "";
  const custom = list(OriginCustomHeaders).map((each): [string, string] => [
    String(fields(each).HeaderName),
    String(fields(each).HeaderValue),
  ]);
  const replaced = new Set(["host", ...custom.map(([name]) => name.toLowerCase())]);
  const patienceMs = number(fields(CustomOriginConfig).OriginReadTimeout, 30) * 1000;
  return (exchange) => {
    const sent = exchange.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
    dropWhenSilent(exchange, patienceMs);
    return origin({ ...exchange, path: prefix + exchange.path, headers: [["Host", domain], ...sent, ...custom] });
  };
}

/**
 * CloudFront waits so long for the first byte of a response and for every further one, and then gives up on the origin. Here
 * it looks once in that time, so a silence may last up to twice as long.
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/DownloadDistValuesOrigin.html#DownloadDistValuesOriginResponseTimeout
 */
function dropWhenSilent(exchange: Exchange, patienceMs: number): void {
  const { response } = exchange;
  const written = () => response.socket?.bytesWritten ?? 0;
  let before = written();
  const timer = setInterval(() => {
    const silent = written() === before && !response.writableNeedDrain;
    before = written();
    if (!silent || response.writableEnded) return;
    warn(
      "gateway",
      `${exchange.method} ${exchange.path}: the origin was silent for ${patienceMs / 1000} s, CloudFront gave up`,
    );
    if (response.headersSent) response.destroy();
    else send(exchange, 504, [["content-type", "text/html"]], "The origin did not answer in time.");
  }, patienceMs);
  response.once("close", () => clearInterval(timer));
}

function unreachable(name: string): Origin {
  warn("gateway", `the distribution's origin ${name} is no REST API or function URL of this app, so it answers 502`);
  return async (exchange: Exchange) =>
    send(exchange, 502, [["content-type", "text/plain"]], `No origin called ${name} runs here.`);
}

/** @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/understanding-response-headers-policies.html */
function decorator(policy: Deployed): (response: ServerResponse) => void {
  const config = fields(policy.properties.ResponseHeadersPolicyConfig);
  const removed = list(fields(config.RemoveHeadersConfig).Items).map((each) => String(fields(each).Header));
  const custom = list(fields(config.CustomHeadersConfig).Items).map((each) => {
    const { Header, Value, Override } = fields(each);
    return { name: String(Header), value: String(Value), override: Override === true };
  });
  const added = [...custom, ...securityHeaders(fields(config.SecurityHeadersConfig))];
  return (response) => {
    for (const name of removed) response.removeHeader(name);
    for (const { name, value, override } of added)
      if (override || !response.hasHeader(name)) response.setHeader(name, value);
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
  return Object.entries(values).flatMap(([key, valueOfSettings]) => {
    const settings = config[key];
    if (!isFields(settings)) return [];
    const [name, value] = valueOfSettings(settings);
    return [{ name, value: String(value), override: settings.Override === true }];
  });
}
