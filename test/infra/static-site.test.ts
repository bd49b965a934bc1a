import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createRoute, resourcesOf, synthesize } from "./synthesize.ts";

const app = synthesize({
  hasSite: true,
  routes: [
    createRoute({ id: "getThing", path: "/v1/things/{id}" }),
    createRoute({ id: "followThing", path: "/v1/things/{id}/stream", streaming: true }),
  ],
});
const { DefaultCacheBehavior, CacheBehaviors, Origins } =
  resourcesOf(app, "AWS::CloudFront::Distribution")[0]?.Properties.DistributionConfig ?? {};
const findBehavior = (path: string) =>
  CacheBehaviors.find(({ PathPattern }: { PathPattern: string }) => PathPattern === path);
const policies = resourcesOf(app, "AWS::CloudFront::ResponseHeadersPolicy").map(
  ({ Properties }) => Properties.ResponseHeadersPolicyConfig,
);
const findPolicy = (name: string) =>
  policies.find(({ Name }) => JSON.stringify(Name).includes(`${name}-"`))?.SecurityHeadersConfig;

/** Content security policy with references to the account and region as `<name>`. */
function contentPolicy(name: string): string {
  const policy = findPolicy(name).ContentSecurityPolicy.ContentSecurityPolicy;
  if (typeof policy === "string") return policy;
  const parts: (string | { Ref: string })[] = policy["Fn::Join"][1];
  return parts.map((part) => (typeof part === "string" ? part : `<${part.Ref}>`)).join("");
}

it("static website of console and documentation serves console, documentation and assets from the bucket, and all other paths from the API", () => {
  const paths = [
    "/",
    "/console",
    "/console/*",
    "/assets/*",
    "/favicon.svg",
    "/robots.txt",
    "/docs",
    "/docs/*",
    "/diagrams/*",
  ];
  for (const path of paths) {
    const behavior = findBehavior(path);
    const origin = Origins.find(({ Id }: { Id: string }) => Id === behavior.TargetOriginId);
    expect(JSON.stringify(origin.DomainName)).toContain("RegionalDomainName");
    expect(behavior).toMatchObject({ AllowedMethods: ["GET", "HEAD"], Compress: true });
  }
  expect(DefaultCacheBehavior.TargetOriginId).not.toBe(findBehavior("/").TargetOriginId);
  expect(CacheBehaviors).toHaveLength(paths.length + 1);
});

it("static website of console and documentation maps page paths to HTML files", () => {
  const code = resourcesOf(app, "AWS::CloudFront::Function")
    .map(({ Properties }) => Properties)
    .find(({ Name }) => JSON.stringify(Name).includes("page-paths-"))?.FunctionCode;
  const handler = runInNewContext(`${code};handler`);
  const uriOf = (uri: string) => handler({ request: { uri } }).uri;
  expect(uriOf("/")).toBe("/index.html");
  expect(uriOf("/console/chat/01a2")).toBe("/index.html");
  expect(uriOf("/console/config.json")).toBe("/console/config.json");
  expect(uriOf("/docs")).toBe("/docs/index.html");
  expect(uriOf("/docs/guides/first-chat/")).toBe("/docs/guides/first-chat/index.html");
  expect(uriOf("/robots.txt")).toBe("/robots.txt");
  expect(uriOf("/assets/console-A1.js")).toBe("/assets/console-A1.js");
});

it("page that draws diagrams is sandboxed, makes no connections, and can be framed by the console only", () => {
  const policy = contentPolicy("diagrams-headers").split("; ");
  expect(policy).toEqual(expect.arrayContaining(["sandbox allow-scripts", "default-src 'none'", "img-src data:"]));
  expect(policy.filter((directive) => directive.startsWith("connect-src"))).toEqual([]);
  expect(policy).toContain("frame-ancestors 'self'");
  expect(findPolicy("diagrams-headers").FrameOptions.FrameOption).toBe("SAMEORIGIN");
});

it("static website of console and documentation forbids inline scripts, inline styles, frames and other origins by its content security policy", () => {
  for (const name of ["console-headers", "guides-headers", "reference-headers"]) {
    const policy = contentPolicy(name);
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("style-src 'self';");
    expect(policy).not.toMatch(/script-src (?!'self';)/);
    expect(policy.includes("unsafe")).toBe(false);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(findPolicy(name).FrameOptions).toEqual({ FrameOption: "DENY", Override: true });
  }
  const buckets = ["uploads", "attachments"].map(
    (name) => `https://switchboard-prod-${name}-<AWS::AccountId>-<AWS::Region>.s3.<AWS::Region>.<AWS::URLSuffix>`,
  );
  expect(/connect-src ([^;]*)/.exec(contentPolicy("console-headers"))?.[1]).toBe(
    `'self' https://issuer.example.com ${buckets.join(" ")}`,
  );
});

it("static website of console and documentation lets browsers cache assets for a year and pages not at all", () => {
  const deployments = resourcesOf(app, "Custom::CDKBucketDeployment").map(({ Properties }) => Properties);
  expect(deployments.map(({ Include, SystemMetadata }) => [Include, SystemMetadata["cache-control"]])).toEqual([
    [["assets/*"], "public, max-age=31536000, immutable"],
    [undefined, "no-cache"],
  ]);
});

it("static website of console and documentation keeps the bucket private", () => {
  const [bucket] = resourcesOf(app, "AWS::S3::Bucket");
  expect(bucket?.Properties.PublicAccessBlockConfiguration).toMatchObject({ RestrictPublicBuckets: true });
  const statements = resourcesOf(app, "AWS::S3::BucketPolicy")[0]?.Properties.PolicyDocument.Statement;
  expect(statements).toContainEqual(expect.objectContaining({ Effect: "Deny", Principal: { AWS: "*" } }));
});

it("static website of console and documentation names its resources of the account by region, so that two regions can have one stage", () => {
  const names = [
    ...resourcesOf(app, "AWS::CloudFront::OriginAccessControl").map(
      ({ Properties }) => Properties.OriginAccessControlConfig.Name,
    ),
    ...resourcesOf(app, "AWS::CloudFront::Function").map(({ Properties }) => Properties.Name),
    ...resourcesOf(app, "AWS::CloudFront::ResponseHeadersPolicy").map(
      ({ Properties }) => Properties.ResponseHeadersPolicyConfig.Name,
    ),
  ];
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(JSON.stringify(name)).toContain('{"Ref":"AWS::Region"}');
});
