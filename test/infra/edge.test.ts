import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { aRoute, resourcesOf, synthesise } from "./synthesise.ts";

const app = synthesise({
  routes: [
    aRoute({ id: "getThing", path: "/v1/things/{id}" }),
    aRoute({ id: "followThing", path: "/v1/things/{id}/stream", streaming: true }),
    aRoute({ id: "getScript", path: "/v1/script.js", cacheable: true }),
  ],
});
const {
  DefaultCacheBehavior,
  CacheBehaviors: [Cached, ...CacheBehaviors],
  Origins,
  CustomErrorResponses,
} = resourcesOf(app, "AWS::CloudFront::Distribution")[0]?.Properties.DistributionConfig ?? {};
const originOf = ({ TargetOriginId }: { TargetOriginId: string }) =>
  Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId);

describe("the edge", () => {
  it("hands a streaming route to its function, with the secret that lets it in", () => {
    expect(CacheBehaviors).toHaveLength(1);
    expect(CacheBehaviors[0].PathPattern).toBe("/v1/things/*/stream");
    const shown = originOf(CacheBehaviors[0]).OriginCustomHeaders[0];
    expect(shown.HeaderName).toBe("x-origin-secret");
    const expected = resourcesOf(app, "AWS::Lambda::Function").find(({ Properties }) =>
      Properties.FunctionName.endsWith("follow-thing"),
    )?.Properties.Environment.Variables.ORIGIN_SECRET;
    expect(JSON.stringify(shown.HeaderValue)).toContain("{{resolve:secretsmanager:");
    expect(JSON.stringify(expected)).toContain("{{resolve:secretsmanager:");
  });

  it("changes with the version, as every function that knows the secret does, so that they learn a new one together", () => {
    const [distribution] = resourcesOf(app, "AWS::CloudFront::Distribution");
    expect(distribution?.Properties.DistributionConfig.Comment).toContain("1.2.3");
    for (const { Properties } of resourcesOf(app, "AWS::Lambda::Function")) {
      expect(Properties.Environment.Variables.SERVICE_VERSION).toBe("1.2.3");
    }
  });

  it("hands everything else to the API, with the same secret", () => {
    expect(originOf(DefaultCacheBehavior)).toMatchObject({
      OriginPath: "/prod",
      OriginCustomHeaders: originOf(CacheBehaviors[0]).OriginCustomHeaders,
    });
    const functions = resourcesOf(app, "AWS::Lambda::Function").map(({ Properties }) => Properties);
    const knowing = functions.filter(({ Environment }) => Environment.Variables.ORIGIN_SECRET !== undefined);
    expect(knowing.map(({ FunctionName }) => FunctionName.replace("switchboard-prod-", "")).sort()).toEqual([
      "follow-thing",
      "get-script",
      "get-thing",
      "route-not-found",
    ]);
  });

  it("notes on each request who asks, also where that is kept for all", () => {
    const [viewerFunction] = resourcesOf(app, "AWS::CloudFront::Function");
    const handler = runInNewContext(`${viewerFunction?.Properties.FunctionCode};handler`);
    const request = { headers: { host: { value: "h" }, "x-viewer-address": { value: "forged" } } };
    expect(handler({ request, viewer: { ip: "198.51.100.7" } }).headers).toEqual({
      host: { value: "h" },
      "x-viewer-address": { value: "198.51.100.7" },
    });
    for (const behaviour of [DefaultCacheBehavior, Cached, ...CacheBehaviors]) {
      expect(behaviour.FunctionAssociations).toMatchObject([{ EventType: "viewer-request" }]);
    }
  });

  it("keeps what is the same for everybody, compressed", () => {
    expect(Cached).toMatchObject({
      PathPattern: "/v1/script.js",
      TargetOriginId: DefaultCacheBehavior.TargetOriginId,
      CachePolicyId: "658327ea-f89d-4fab-a63d-7e88639e58f6",
      Compress: true,
    });
  });

  it("caches and compresses nothing else, and forwards every method over HTTPS", () => {
    for (const behaviour of [DefaultCacheBehavior, ...CacheBehaviors]) {
      expect(behaviour).toMatchObject({
        CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
        OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
        Compress: false,
        ViewerProtocolPolicy: "https-only",
        AllowedMethods: expect.arrayContaining(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
      });
    }
  });

  it("keeps no error: it would be shown to others who ask for the same path", () => {
    const kept = new Map(
      CustomErrorResponses.map((response: { ErrorCode: number }) => [response.ErrorCode, { ...response }]),
    );
    for (const ErrorCode of [400, 403, 404, 405, 414, 500, 501, 502, 503, 504]) {
      expect(kept.get(ErrorCode)).toEqual({ ErrorCode, ErrorCachingMinTTL: 0 });
    }
  });

  it("streams with a function URL that answers as it goes", () => {
    expect(resourcesOf(app, "AWS::Lambda::Url").map(({ Properties }) => Properties)).toMatchObject([
      { InvokeMode: "RESPONSE_STREAM", AuthType: "NONE" },
    ]);
  });

  it("refuses a streaming route that would take another one's requests", () => {
    const routes = [
      aRoute({ id: "followThing", path: "/v1/things/{id}", streaming: true }),
      aRoute({ id: "getPart", path: "/v1/things/{id}/part" }),
    ];
    expect(() => synthesise({ routes })).toThrow("also matches getPart (GET /v1/things/{id}/part)");
  });
});
