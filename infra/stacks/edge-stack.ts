import { CfnOutput, Duration, Fn, Stack, Validations } from "aws-cdk-lib";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Function as CloudFrontFunction,
  Distribution,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from "aws-cdk-lib/aws-cloudfront";
import { HttpOrigin, type HttpOriginProps } from "aws-cdk-lib/aws-cloudfront-origins";
import type { Construct } from "constructs";
import { securityHeaders } from "../../shared/http/security-headers.ts";
import type { RestApi } from "../constructs/rest-api.ts";
import { StaticSite } from "../constructs/static-site.ts";
import { checkPathPatterns, toPathPattern } from "../constructs/streaming-patterns.ts";
import { protectApis, webAclArn } from "../constructs/web-acl.ts";
import { type DataResources, globalResourceName, resourceName, type StackContext } from "../stack-context.ts";
import type { ApiStack } from "./api-stack.ts";
import type { StreamingStack } from "./streaming-stack.ts";

/** Stacks whose endpoints CloudFront forwards requests to. */
interface Origins {
  readonly data: DataResources;
  readonly api: ApiStack;
  readonly streaming: StreamingStack;
}

/**
 * Code of a CloudFront function that sets headers with the viewer's IP address, host and content type. It replaces any values
 * that the client sent. API Gateway and function URLs would decode the body of a text type as UTF-8 and lose other bytes, over
 * which signatures are computed, so they get a binary type.
 */
const viewerFunctionCode = `function handler(event) {
  var headers = event.request.headers;
  headers["x-viewer-address"] = { value: event.viewer.ip };
  headers["x-viewer-host"] = { value: headers.host.value };
  delete headers["x-viewer-content-type"];
  if (headers["content-type"]) {
    headers["x-viewer-content-type"] = { value: headers["content-type"].value };
    headers["content-type"] = { value: "application/octet-stream" };
  }
  return event.request;
}`;

/**
 * Statuses of errors that CloudFront would cache for ten seconds per path, regardless of the credential, although caching is
 * disabled and responses forbid it.
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/custom-error-pages-expiration.html
 */
const cachedErrorStatuses = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

/** Stack of the CloudFront distribution, which routes streaming paths to function URLs and other paths to the API. */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, context: StackContext, { data, api, streaming }: Origins) {
    super(scope, id, { description: "Switchboard: the address of the service" });
    this.addStackDependency(streaming);
    const { domain } = context.config;
    checkPathPatterns(context.routes);
    const viewerFunction = new CloudFrontFunction(this, "NoteViewer", {
      functionName: globalResourceName(context, "note-viewer"),
      comment: "Tells the origins who asks",
      code: FunctionCode.fromInline(viewerFunctionCode),
      runtime: FunctionRuntime.JS_2_0,
    });
    const behavior: Omit<BehaviorOptions, "origin"> = {
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [{ function: viewerFunction, eventType: FunctionEventType.VIEWER_REQUEST }],
      responseHeadersPolicy: new ResponseHeadersPolicy(this, "Headers", {
        responseHeadersPolicyName: globalResourceName(context, "headers"),
        comment: "For answers of the gateway itself, which cannot carry this one",
        securityHeadersBehavior: {
          contentSecurityPolicy: {
            contentSecurityPolicy: securityHeaders["content-security-policy"],
            override: false,
          },
        },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // Compression would buffer events.
      compress: false,
    };
    const customHeaders = { "x-origin-secret": data.originSecretValues.current };
    const originOf = ({ origin: { domainName, path } }: RestApi) =>
      createOrigin(domainName, { originPath: path, customHeaders });
    const apiOrigin = originOf(api.api);
    const administration = api.administration && { ...behavior, origin: originOf(api.administration.api) };
    const cachedBehaviors = Object.fromEntries(
      context.routes
        .filter(({ cacheable }) => cacheable)
        .map((route) => [
          toPathPattern(route),
          { ...behavior, origin: apiOrigin, cachePolicy: CachePolicy.CACHING_OPTIMIZED, compress: true },
        ]),
    );
    const streamingBehaviors = Object.fromEntries(
      streaming.origins.map(({ route, hostOutput }) => [
        toPathPattern(route),
        {
          ...behavior,
          origin: createOrigin(Fn.getStackOutput(streaming.stackName, hostOutput), { customHeaders }),
        },
      ]),
    );
    const site = context.site ? new StaticSite(this, "Site", context, context.site) : null;
    const webAclId = webAclArn(this, context);
    const apis = [api.api, ...(api.administration ? [api.administration.api] : [])];
    protectApis(this, context, data.originSecretValues, apis);
    const distribution = new Distribution(this, "Distribution", {
      // CloudFormation resolves a rotated origin secret only in resources that change, so `-c rotation` changes the distribution.
      comment: Fn.join("", [resourceName(context, "edge"), " ", context.config.rotation, " ", streaming.presence]),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain && {
        domainNames: [domain.name, ...domain.aliases],
        certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      ...(webAclId && { webAclId }),
      defaultBehavior: { ...behavior, origin: apiOrigin },
      additionalBehaviors: {
        ...cachedBehaviors,
        ...streamingBehaviors,
        ...(administration &&
          Object.fromEntries(api.administration.pathPatterns.map((pattern) => [pattern, administration]))),
        ...site?.behaviors,
      },
      errorResponses: cachedErrorStatuses.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    Validations.of(distribution).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "The service has no geographic restrictions." },
      {
        id: "AwsSolutions-CFR2",
        reason:
          "CloudFront accepts web ACLs of us-east-1 only, where a production stage has one by default; API Gateway throttles each method, not the stage.",
      },
      { id: "AwsSolutions-CFR3", reason: "The origins log every request; CloudFront logs would only add a bucket." },
    );
    if (!domain) {
      Validations.of(distribution).acknowledge({
        id: "AwsSolutions-CFR4",
        reason: "The default CloudFront certificate allows TLSv1. With a custom domain, TLS 1.2 is required.",
      });
    }
    const baseUrl = `https://${domain?.name ?? distribution.distributionDomainName}`;
    new CfnOutput(this, "BaseUrl", { value: baseUrl, description: "Address of the service" });
    if (domain) {
      const value = distribution.distributionDomainName;
      new CfnOutput(this, "DnsTarget", { value, description: "What the DNS record of the service's name points to" });
    }
    if (context.config.stage === "local") {
      for (const [name, value] of Object.entries(firstSteps(baseUrl, context))) new CfnOutput(this, name, { value });
    }
  }
}

/**
 * Creates an origin with the longest timeouts that need no quota increase. Streams send comments at shorter intervals, so
 * that these do not expire.
 */
function createOrigin(domainName: string, props: HttpOriginProps): IOrigin {
  return new HttpOrigin(domainName, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    readTimeout: Duration.seconds(60),
    keepaliveTimeout: Duration.seconds(60),
    ...props,
  });
}

/** Returns the texts that the local runner prints at its start: addresses, and shell commands for a first chat and upload. */
function firstSteps(baseUrl: string, { config }: StackContext): Record<string, string> {
  const token = config.settings.auth.AUTH_PROVIDER === "jwt" ? ` -H "authorization: Bearer $TOKEN"` : "";
  const send = `-H 'content-type: application/json'${token}`;
  const create = (path: string, body: string) =>
    `id=$(curl -s ${baseUrl}${path} ${send} -d '${body}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`;
  return {
    TryConsole: `${baseUrl}/`,
    TryDocs: `${baseUrl}/docs`,
    TryChat: `${create("/v1/conversations", '{"title":"First steps"}')} && curl -N ${baseUrl}/v1/runtime/chat ${send} -d "{\\"conversation_id\\":\\"$id\\",\\"content\\":\\"Hello! What can you do?\\"}"`,
    TryUpload: `${create("/v1/knowledge/collections", '{"name":"Handbook"}')} && curl ${baseUrl}/v1/knowledge/collections/$id/documents${token} -F file=@README.md`,
  };
}
