import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createRoute, resourcesOf, synthesize } from "./synthesize.ts";

const app = synthesize({
  routes: [
    createRoute({ id: "getThing", path: "/v1/things/{id}" }),
    createRoute({ id: "followThing", path: "/v1/things/{id}/stream", streaming: true }),
    createRoute({ id: "getScript", path: "/v1/script.js", cacheable: true }),
  ],
});
const {
  DefaultCacheBehavior,
  CacheBehaviors: [Cached, ...CacheBehaviors],
  Origins,
  CustomErrorResponses,
} = resourcesOf(app, "AWS::CloudFront::Distribution")[0]?.Properties.DistributionConfig ?? {};
const findOrigin = ({ TargetOriginId }: { TargetOriginId: string }) =>
  Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId);

it("CloudFront distribution forwards a streaming route to its function URL with the origin secret", () => {
  expect(CacheBehaviors).toHaveLength(1);
  expect(CacheBehaviors[0].PathPattern).toBe("/v1/things/*/stream");
  const secretHeader = findOrigin(CacheBehaviors[0]).OriginCustomHeaders[0];
  expect(secretHeader.HeaderName).toBe("x-origin-secret");
  const referencesIn = (value: unknown) => JSON.stringify(value).match(/SecretString:\w+/g);
  expect(referencesIn(secretHeader.HeaderValue)).toEqual(["SecretString:current"]);
});

it("CloudFront distribution imports no exports of streaming functions, so that a streaming route can be renamed in one deployment", () => {
  const edge = JSON.stringify(app.get("switchboard-prod-edge.template.json"));
  expect(edge).toContain('"Fn::GetStackOutput":{"StackName":"switchboard-prod-streaming"');
  expect(edge).toContain('"OutputName":"FollowThingHost"');
  expect(edge).not.toMatch(/Fn::(Split|Select)":\S*GetStackOutput/);
});

it("CloudFront distribution imports the presence of the streaming stack, so that it cannot be deleted while its addresses are in use", () => {
  const { DistributionConfig } = resourcesOf(app, "AWS::CloudFront::Distribution")[0]?.Properties ?? {};
  expect(JSON.stringify(DistributionConfig.Comment)).toContain(
    '"Fn::ImportValue":"switchboard-prod-streaming-presence"',
  );
});

it("CloudFront distribution forwards all other routes to the REST API with the origin secret", () => {
  expect(findOrigin(DefaultCacheBehavior)).toMatchObject({
    OriginPath: "/prod",
    OriginCustomHeaders: findOrigin(CacheBehaviors[0]).OriginCustomHeaders,
  });
});

it("CloudFront distribution adds the viewer's address and host as headers to every request", () => {
  const [viewerFunction] = resourcesOf(app, "AWS::CloudFront::Function");
  const handler = runInNewContext(`${viewerFunction?.Properties.FunctionCode};handler`);
  const request = {
    headers: { host: { value: "h" }, "x-viewer-address": { value: "forged" }, "x-viewer-host": { value: "forged" } },
  };
  expect(handler({ request, viewer: { ip: "198.51.100.7" } }).headers).toEqual({
    host: { value: "h" },
    "x-viewer-address": { value: "198.51.100.7" },
    "x-viewer-host": { value: "h" },
  });
  for (const behavior of [DefaultCacheBehavior, Cached, ...CacheBehaviors]) {
    expect(behavior.FunctionAssociations).toMatchObject([{ EventType: "viewer-request" }]);
  }
});

it("CloudFront distribution caches and compresses cacheable routes", () => {
  expect(Cached).toMatchObject({
    PathPattern: "/v1/script.js",
    TargetOriginId: DefaultCacheBehavior.TargetOriginId,
    CachePolicyId: "658327ea-f89d-4fab-a63d-7e88639e58f6",
    Compress: true,
  });
});

it("CloudFront distribution forwards every method over HTTPS, and does not cache or compress routes that are not marked as cacheable", () => {
  for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors]) {
    expect(behavior).toMatchObject({
      CachePolicyId: "4135ea2d-6df8-44a3-9df3-4b5a84be39ad",
      OriginRequestPolicyId: "b689b0a8-53d0-40ab-baf2-68738e2966ac",
      Compress: false,
      ViewerProtocolPolicy: "https-only",
      AllowedMethods: expect.arrayContaining(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
    });
  }
});

it("CloudFront distribution does not cache error responses", () => {
  const ttlByErrorCode = new Map(
    CustomErrorResponses.map((response: { ErrorCode: number }) => [response.ErrorCode, { ...response }]),
  );
  for (const ErrorCode of [400, 403, 404, 405, 414, 500, 501, 502, 503, 504]) {
    expect(ttlByErrorCode.get(ErrorCode)).toEqual({ ErrorCode, ErrorCachingMinTTL: 0 });
  }
});

it("CloudFront distribution uses function URLs with the invoke mode RESPONSE_STREAM", () => {
  expect(resourcesOf(app, "AWS::Lambda::Url").map(({ Properties }) => Properties)).toMatchObject([
    { InvokeMode: "RESPONSE_STREAM", AuthType: "NONE" },
  ]);
});

it("CloudFront distribution cannot be synthesized when the path pattern of a streaming route matches another route", () => {
  const routes = [
    createRoute({ id: "followThing", path: "/v1/things/{id}", streaming: true }),
    createRoute({ id: "getPart", path: "/v1/things/{id}/part" }),
  ];
  expect(() => synthesize({ routes })).toThrow("also matches getPart (GET /v1/things/{id}/part)");
});
