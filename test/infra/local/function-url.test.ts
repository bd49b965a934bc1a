import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LocalApp } from "../../../infra/local/local-app.ts";
import { eventually, lambda, lines, type Resources, start, temporaryDirectory, writeAssembly } from "./fixture.ts";

const directory = temporaryDirectory();
const notes = join(directory.path, "notes");
let app: LocalApp;

/** A function URL, and its host name for the distribution. */
function url(id: string, functionId: string, mode: string): Resources {
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

const origin = (id: string, patience = 30) => ({
  Id: id,
  CustomOriginConfig: { OriginReadTimeout: patience },
  DomainName: { "Fn::Select": [2, { "Fn::Split": ["/", { "Fn::GetAtt": [id, "FunctionUrl"] }] }] },
  OriginCustomHeaders: [
    { HeaderName: "x-origin-secret", HeaderValue: "{{resolve:secretsmanager:origin:SecretString:::}}" },
  ],
});

const methods = ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "POST", "DELETE"];
const behaviour = (PathPattern: string, TargetOriginId: string, more = {}) => ({
  PathPattern,
  TargetOriginId,
  AllowedMethods: methods,
  ...more,
});

beforeAll(async () => {
  const assembly = writeAssembly(join(directory.path, "assembly"), {
    edge: {
      Resources: {
        ...lambda("Stream", "stream.handler", { environment: { NOTES: notes } }),
        ...lambda("Plain", "rest.echo"),
        ...url("StreamUrl", "Stream", "RESPONSE_STREAM"),
        ...url("GatheredUrl", "Stream", "BUFFERED"),
        ...url("ImpatientUrl", "Stream", "RESPONSE_STREAM"),
        ...url("PlainUrl", "Plain", "RESPONSE_STREAM"),
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
        Noting: {
          Type: "AWS::CloudFront::Function",
          Properties: {
            Name: "noting",
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
              Origins: [origin("StreamUrl"), origin("GatheredUrl"), origin("PlainUrl"), origin("ImpatientUrl", 1)],
              CacheBehaviors: [
                behaviour("/gathered", "GatheredUrl"),
                behaviour("/impatient", "ImpatientUrl"),
                behaviour("/read-only/*", "PlainUrl", { AllowedMethods: ["GET", "HEAD"] }),
                behaviour("/p?ain", "PlainUrl", { ResponseHeadersPolicyId: { Ref: "Headers" } }),
              ],
              DefaultCacheBehavior: {
                TargetOriginId: "StreamUrl",
                AllowedMethods: methods,
                ResponseHeadersPolicyId: { Ref: "Headers" },
                FunctionAssociations: [
                  { EventType: "viewer-request", FunctionARN: { "Fn::GetAtt": ["Noting", "FunctionARN"] } },
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
  app = await start(directory.path, assembly);
});

afterAll(async () => {
  await app?.close();
  directory.remove();
});

test("outputs lead to this machine, without TLS", () => {
  expect(app.outputs).toEqual([{ logicalId: "TryIt", value: `curl ${app.url}/` }]);
});

describe("streams", () => {
  test("chunks arrive as they are written", async () => {
    const response = await fetch(`${app.url}/`);
    expect([response.status, response.headers.get("content-type")]).toEqual([202, "text/event-stream"]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect([response.headers.get("x-function"), response.headers.get("x-content-type-options")]).toEqual([
      "edge-Stream",
      "nosniff",
    ]);
    const delays: number[] = [];
    for await (const chunk of response.body ?? []) {
      const written = Buffer.from(chunk).toString().trim().split("\n");
      delays.push(...written.map((line) => Date.now() - Number(line.split(" ")[1])));
    }
    expect(delays).toHaveLength(5);
    // If they were buffered, all of them would be 60 ms late or more; a single one may be for any reason.
    expect(delays.toSorted((a, b) => a - b)[2]).toBeLessThan(50);
  });

  test("a client that goes away does not stop the function, which may go on after its last byte", async () => {
    await new Promise<void>((resolve) => {
      const going = request(`${app.url}/?name=left`, (response) => {
        response.once("data", () => {
          going.destroy();
          resolve();
        });
      });
      going.end();
    });
    expect(lines(notes)).not.toContain("left: chunk 4");
    await eventually(() => lines(notes).includes("left: after the end"));
    expect(lines(notes)).toContain("left: chunk 4");
  });

  test("a slow reader holds the function back, and gets everything", async () => {
    const response = await fetch(`${app.url}/?how=flood&name=slow`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(lines(notes)).not.toContain("slow: flood 19");
    expect((await response.arrayBuffer()).byteLength).toBe(20 * 1024 * 1024);
  });

  test("an error half-way breaks the response off", async () => {
    const response = await fetch(`${app.url}/?how=fail-late`);
    expect(response.status).toBe(202);
    await expect(response.text()).rejects.toThrow();
  });

  test("an error before the first byte, or a stream that ends without one, is a bad gateway", async () => {
    expect((await fetch(`${app.url}/?how=fail-early`)).status).toBe(502);
    expect((await fetch(`${app.url}/?how=empty`)).status).toBe(502);
  });

  test("a head alone is a response, if an empty write sends it", async () => {
    const response = await fetch(`${app.url}/?how=head`);
    expect([response.status, response.headers.get("x-function"), await response.text()]).toEqual([
      202,
      "edge-Stream",
      "",
    ]);
  });

  test("a stream without metadata is plain bytes", async () => {
    const response = await fetch(`${app.url}/?how=raw`);
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "application/octet-stream",
      "raw bytes",
    ]);
  });

  test("a buffered URL gathers the stream", async () => {
    const response = await fetch(`${app.url}/gathered`);
    expect([response.status, (await response.text()).split("\n")]).toEqual([
      202,
      expect.objectContaining({ length: 6 }),
    ]);
  });
});

describe("events", () => {
  test("have the shape of payload 2.0", async () => {
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
});

describe("the distribution", () => {
  test("has a function look at requests before their origin does", async () => {
    const response = await fetch(`${app.url}/viewed?how=echo`, {
      headers: { "x-viewer": "forged", "x-unwanted": "1", "x-wanted": "2" },
    });
    const { headers } = (await response.json()) as { headers: Record<string, string> };
    expect(headers).toMatchObject({ "x-viewer": "127.0.0.1 GET /viewed", "x-wanted": "2" });
    expect(headers).not.toHaveProperty("x-unwanted");
  });

  test("picks the first behaviour whose pattern matches, and a plain handler's result is read as a response", async () => {
    const response = await fetch(`${app.url}/plain`);
    expect([response.status, response.headers.get("x-function")]).toEqual([200, "from the edge"]);
    expect(await response.json()).toMatchObject({ context: { functionName: "edge-Plain" } });
  });

  test("refuses methods a behaviour does not allow", async () => {
    expect((await fetch(`${app.url}/read-only/x`, { method: "POST" })).status).toBe(403);
    expect((await fetch(`${app.url}/read-only/x`)).status).toBe(200);
  });

  test("gives up on an origin that is silent for too long", async () => {
    expect((await fetch(`${app.url}/impatient?how=silent&name=silent`)).status).toBe(504);
    expect((await fetch(`${app.url}/impatient?how=raw`)).status).toBe(200);
  });
});
