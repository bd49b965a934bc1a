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
import { checkPatterns, patternOf } from "../constructs/streaming-patterns.ts";
import { nameOf, type Service, type ServiceData } from "../stack-context.ts";
import type { ApiStack } from "./api-stack.ts";
import type { StreamingStack } from "./streaming-stack.ts";

/** What is behind the edge. */
export interface Origins {
  readonly data: ServiceData;
  readonly api: ApiStack;
  readonly streaming: StreamingStack;
}

/** Tells the origins who asks, whatever the request itself says about that; in the little JavaScript CloudFront knows. */
const noteViewer = `function handler(event) {
  event.request.headers["x-viewer-address"] = { value: event.viewer.ip };
  return event.request;
}`;

/**
 * Errors that CloudFront would show for ten seconds to whoever asks for the same path, with whatever credential, although
 * no behaviour caches and no answer may be stored.
 * @see https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/custom-error-pages-expiration.html
 */
const errorsThatAreKept = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

/** One address for everything: CloudFront hands streaming routes to their functions and the rest to the API. */
export class EdgeStack extends Stack {
  constructor(scope: Construct, id: string, service: Service, { data, api, streaming }: Origins) {
    super(scope, id, { description: "Switchboard: the address of the service" });
    const { domain } = service.config;
    checkPatterns(service.routes);
    const noting = new CloudFrontFunction(this, "NoteViewer", {
      functionName: nameOf(service, "note-viewer"),
      comment: "Tells the origins who asks",
      code: FunctionCode.fromInline(noteViewer),
      runtime: FunctionRuntime.JS_2_0,
    });
    const behaviour: Omit<BehaviorOptions, "origin"> = {
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      functionAssociations: [{ function: noting, eventType: FunctionEventType.VIEWER_REQUEST }],
      responseHeadersPolicy: new ResponseHeadersPolicy(this, "Headers", {
        responseHeadersPolicyName: nameOf(service, "headers"),
        comment: "For answers of the gateway itself, which cannot carry this one",
        securityHeadersBehavior: {
          contentSecurityPolicy: {
            contentSecurityPolicy: securityHeaders["content-security-policy"],
            override: false,
          },
        },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // It would hold events back until there is enough to compress.
      compress: false,
    };
    const customHeaders = { "x-origin-secret": data.originSecret };
    const apiOrigin = origin(api.origin.domainName, { originPath: api.origin.path, customHeaders });
    const cached = Object.fromEntries(
      service.routes
        .filter(({ cacheable }) => cacheable)
        .map(({ path }) => [
          path,
          { ...behaviour, origin: apiOrigin, cachePolicy: CachePolicy.CACHING_OPTIMIZED, compress: true },
        ]),
    );
    const streamed = Object.fromEntries(
      streaming.origins.map(({ route, url }) => [
        patternOf(route),
        { ...behaviour, origin: origin(Fn.select(2, Fn.split("/", url)), { customHeaders }) },
      ]),
    );
    const distribution = new Distribution(this, "Distribution", {
      // A version is a change to every end that shares the secret, and only for a change is a secret's value looked up.
      comment: `${nameOf(service, "edge")} ${service.version}`,
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain && {
        domainNames: [domain.name],
        certificate: Certificate.fromCertificateArn(this, "Certificate", domain.certificateArn),
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      defaultBehavior: { ...behaviour, origin: apiOrigin },
      additionalBehaviors: { ...cached, ...streamed },
      errorResponses: errorsThatAreKept.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    Validations.of(distribution).acknowledge(
      { id: "AwsSolutions-CFR1", reason: "The service is for people anywhere." },
      { id: "AwsSolutions-CFR2", reason: "A web ACL costs money when nobody calls; each function limits its callers." },
      { id: "AwsSolutions-CFR3", reason: "What is behind it logs each request; here only the bucket would be added." },
    );
    if (!domain) {
      Validations.of(distribution).acknowledge({
        id: "AwsSolutions-CFR4",
        reason: "CloudFront's own certificate comes with TLSv1; with a domain of one's own it is TLS 1.2.",
      });
    }
    const address = `https://${domain?.name ?? distribution.distributionDomainName}`;
    new CfnOutput(this, "BaseUrl", { value: address, description: "Address of the service" });
    if (domain) {
      const value = distribution.distributionDomainName;
      new CfnOutput(this, "DnsTarget", { value, description: "What the DNS record of the service's name points to" });
    }
    if (service.config.stage === "local") new CfnOutput(this, "TryIt", { value: firstSteps(address, service) });
  }
}

/** The origin may be silent for as long as CloudFront allows without asking; streams send a comment far earlier. */
function origin(domainName: string, props: HttpOriginProps): IOrigin {
  return new HttpOrigin(domainName, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    readTimeout: Duration.seconds(60),
    keepaliveTimeout: Duration.seconds(60),
    ...props,
  });
}

/** A line for the shell that starts a conversation and says something in it. */
function firstSteps(address: string, { config }: Service): string {
  const token = config.settings.auth.AUTH_PROVIDER === "jwt" ? ` -H "authorization: Bearer $TOKEN"` : "";
  const send = `-H 'content-type: application/json'${token}`;
  return [
    `id=$(curl -s ${address}/v1/conversations ${send} -d '{"title":"First steps"}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
    `curl -N ${address}/v1/runtime/chat ${send} -d "{\\"conversation_id\\":\\"$id\\",\\"content\\":\\"Hello! What can you do?\\"}"`,
  ].join(" && ");
}
