import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LocalApp } from "../../../infra/local/local-app.ts";
import {
  lambdaResources,
  type Resources,
  readLines,
  startApp,
  temporaryDirectory,
  waitUntil,
  writeAssembly,
} from "./fixture.ts";

const directory = temporaryDirectory();
const notes = join(directory.path, "notes");
let app: LocalApp;

/** Returns the resources of a public function URL. */
function functionUrl(id: string, functionId: string, mode: string): Resources {
  return {
    [id]: {
      Type: "AWS::Lambda::Url",
      Properties: { AuthType: "NONE", InvokeMode: mode, TargetFunctionArn: { "Fn::GetAtt": [functionId, "Arn"] } },
    },
    [`${id}Permission`]: {
      Type: "AWS::Lambda::Permission",
      Properties: { Action: "lambda:InvokeFunctionUrl", FunctionName: { Ref: functionId }, Principal: "*" },
    },
  };
}

const createOrigin = (id: string, readTimeoutSeconds = 30) => ({
  Id: id,
  CustomOriginConfig: { OriginReadTimeout: readTimeoutSeconds },
  DomainName: { "Fn::Select": [2, { "Fn::Split": ["/", { "Fn::GetAtt": [id, "FunctionUrl"] }] }] },
  OriginCustomHeaders: [
    { HeaderName: "x-origin-secret", HeaderValue: "{{resolve:secretsmanager:origin:SecretString:::}}" },
  ],
});

const methods = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"];
const createBehavior = (PathPattern: string, TargetOriginId: string, properties = {}) => ({
  PathPattern,
  TargetOriginId,
  AllowedMethods: methods,
  ...properties,
});

beforeAll(async () => {
  const assembly = writeAssembly(join(directory.path, "assembly"), {
    edge: {
      Resources: {
        ...lambdaResources("Stream", "stream.handler", { environment: { NOTES: notes } }),
        ...lambdaResources("Plain", "rest.echo"),
        ...functionUrl("StreamUrl", "Stream", "RESPONSE_STREAM"),
        ...functionUrl("BufferedUrl", "Stream", "BUFFERED"),
        ...functionUrl("ShortTimeoutUrl", "Stream", "RESPONSE_STREAM"),
        ...functionUrl("PlainUrl", "Plain", "RESPONSE_STREAM"),
        Secret: { Type: "AWS::SecretsManager::Secret", Properties: { Name: "origin", GenerateSecretString: {} } },
        Headers: {
          Type: "AWS::CloudFront::ResponseHeadersPolicy",
          Properties: {
            ResponseHeadersPolicyConfig: {
              Name: "headers",
              SecurityHeadersConfig: { ContentTypeOptions: { Override: true } },
              CustomHeadersConfig: { Items: [{ Header: "x-function", Value: "from the edge", Override: false }] },
            },
          },
        },
        ViewerRequest: {
          Type: "AWS::CloudFront::Function",
          Properties: {
            Name: "viewer-request",
            FunctionCode: `function handler({ request, viewer }) {
              request.headers["x-viewer"] = { value: viewer.ip + " " + request.method + " " + request.uri };
              delete request.headers["x-unwanted"];
              return request;
            }`,
          },
        },
        Distribution: {
          Type: "AWS::CloudFront::Distribution",
          Properties: {
            DistributionConfig: {
              Origins: [
                createOrigin("StreamUrl"),
                createOrigin("BufferedUrl"),
                createOrigin("PlainUrl"),
                createOrigin("ShortTimeoutUrl", 1),
              ],
              CacheBehaviors: [
                createBehavior("/buffered", "BufferedUrl"),
                createBehavior("/short-timeout", "ShortTimeoutUrl"),
                createBehavior("/read-only/*", "PlainUrl", { AllowedMethods: ["GET", "HEAD"] }),
                createBehavior("/p?ain", "PlainUrl", { ResponseHeadersPolicyId: { Ref: "Headers" } }),
              ],
              DefaultCacheBehavior: {
                TargetOriginId: "StreamUrl",
                AllowedMethods: methods,
                ResponseHeadersPolicyId: { Ref: "Headers" },
                FunctionAssociations: [
                  { EventType: "viewer-request", FunctionARN: { "Fn::GetAtt": ["ViewerRequest", "FunctionARN"] } },
                ],
              },
            },
          },
        },
      },
      Outputs: {
        TryIt: {
          Value: { "Fn::Join": ["", ["curl https://", { "Fn::GetAtt": ["Distribution", "DomainName"] }, "/"]] },
        },
        Other: { Value: "not printed" },
      },
    },
  });
  app = await startApp(directory.path, assembly);
});

afterAll(async () => {
  await app?.close();
  directory.remove();
});

test("printed stack output contains the local HTTP address of the API", () => {
  expect(app.outputs).toEqual([{ logicalId: "TryIt", value: `curl ${app.url}/` }]);
});

test("local function URL delivers each chunk of a stream when it is written", async () => {
  const response = await fetch(`${app.url}/?how=acknowledged`);
  expect([response.status, response.headers.get("content-type")]).toEqual([202, "text/event-stream"]);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect([response.headers.get("x-function"), response.headers.get("x-content-type-options")]).toEqual([
    "edge-Stream",
    "nosniff",
  ]);
  const chunks: string[] = [];
  // The function writes a chunk when the client has acknowledged the one before, so a buffered chunk would end in a timeout.
  for await (const chunk of response.body ?? []) {
    chunks.push(Buffer.from(chunk).toString());
    writeFileSync(`${notes}.acknowledged-${chunks.length}`, "");
  }
  expect(chunks).toEqual(["0", "1", "2", "3", "4"]);
});

test("local function URL lets the function finish after the client disconnects", async () => {
  await new Promise<void>((resolve) => {
    const abandonedRequest = request(`${app.url}/?name=left`, (response) => {
      response.once("data", () => {
        abandonedRequest.destroy();
        resolve();
      });
    });
    abandonedRequest.end();
  });
  expect(readLines(notes)).not.toContain("left: chunk 4");
  await waitUntil(() => readLines(notes).includes("left: after the end"));
  expect(readLines(notes)).toContain("left: chunk 4");
});

test("local function URL makes the function wait for a slow reader and loses nothing", async () => {
  const response = await fetch(`${app.url}/?how=flood&name=slow`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(readLines(notes)).not.toContain("slow: flood 19");
  expect((await response.arrayBuffer()).byteLength).toBe(20 * 1024 * 1024);
});

test("local function URL aborts the response when the function fails in the middle of the stream", async () => {
  const response = await fetch(`${app.url}/?how=fail-late`);
  expect(response.status).toBe(202);
  let text = "";
  const read = async () => {
    for await (const bytes of response.body ?? []) text += Buffer.from(bytes).toString();
  };
  await expect(read()).rejects.toThrow();
  expect(text.match(/^\d /gm)).toEqual(["0 ", "1 ", "2 "]);
});

test("local function URL returns 502 when the stream fails before its first byte or is empty", async () => {
  expect((await fetch(`${app.url}/?how=fail-early`)).status).toBe(502);
  expect((await fetch(`${app.url}/?how=empty`)).status).toBe(502);
});

test("local function URL returns status and headers of a stream whose only write is empty", async () => {
  const response = await fetch(`${app.url}/?how=head`);
  expect([response.status, response.headers.get("x-function"), await response.text()]).toEqual([
    202,
    "edge-Stream",
    "",
  ]);
});

test("local function URL returns a stream without metadata as bytes with status 200", async () => {
  const response = await fetch(`${app.url}/?how=raw`);
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    "application/octet-stream",
    "raw bytes",
  ]);
});

test("local function URL returns the handler's result as one response in BUFFERED mode", async () => {
  const response = await fetch(`${app.url}/buffered`);
  expect([response.status, (await response.text()).split("\n")]).toEqual([202, expect.objectContaining({ length: 6 })]);
});

test("event of a local function URL has the fields of payload format 2.0", async () => {
  const response = await fetch(`${app.url}/a%20b?how=echo&x=1&x=2`, {
    method: "POST",
    headers: {
      "X-Mixed-Case": "1",
      cookie: "a=1; b=2",
      "content-type": "application/json",
      "x-origin-secret": "forged",
    },
    body: "{}",
  });
  const event = (await response.json()) as Record<string, unknown> & { headers: Record<string, string> };
  expect(event).toMatchObject({
    version: "2.0",
    rawPath: "/a%20b",
    rawQueryString: "how=echo&x=1&x=2",
    cookies: ["a=1", "b=2"],
    queryStringParameters: { how: "echo", x: "1,2" },
    requestContext: { http: { method: "POST", path: "/a b", protocol: "HTTP/1.1", sourceIp: "127.0.0.1" } },
    body: "{}",
    isBase64Encoded: false,
  });
  expect(event.headers).toMatchObject({
    "x-mixed-case": "1",
    host: expect.stringMatching(/lambda-url\.us-east-1\.on\.aws$/),
  });
  expect(event.headers).not.toHaveProperty("cookie");
  expect(event.headers["x-origin-secret"]).toHaveLength(32);
});

test("local CloudFront distribution runs the viewer-request function before the origin", async () => {
  const response = await fetch(`${app.url}/viewed?how=echo`, {
    headers: { "x-viewer": "forged", "x-unwanted": "1", "x-wanted": "2" },
  });
  const { headers } = (await response.json()) as { headers: Record<string, string> };
  expect(headers).toMatchObject({ "x-viewer": "127.0.0.1 GET /viewed", "x-wanted": "2" });
  expect(headers).not.toHaveProperty("x-unwanted");
});

test("local CloudFront distribution uses the first matching behavior and serves handlers that do not stream", async () => {
  const response = await fetch(`${app.url}/plain`);
  expect([response.status, response.headers.get("x-function")]).toEqual([200, "from the edge"]);
  expect(await response.json()).toMatchObject({ context: { functionName: "edge-Plain" } });
});

test("local CloudFront distribution rejects a method that the behavior does not allow", async () => {
  expect((await fetch(`${app.url}/read-only/x`, { method: "POST" })).status).toBe(403);
  expect((await fetch(`${app.url}/read-only/x`)).status).toBe(200);
});

test("local CloudFront distribution returns 504 when the origin's read timeout expires", async () => {
  expect((await fetch(`${app.url}/short-timeout?how=silent&name=silent`)).status).toBe(504);
  expect((await fetch(`${app.url}/short-timeout?how=raw`)).status).toBe(200);
});
