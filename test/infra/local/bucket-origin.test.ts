import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Deployment } from "../../../infra/local/assembly/deployment.ts";
import { bucketOrigins } from "../../../infra/local/gateway/bucket-origin.ts";
import { temporaryDirectory } from "./fixture.ts";

const directory = temporaryDirectory();
afterAll(directory.remove);

/** Returns a deployment with a bucket whose files are those of a directory. */
function deploymentOf(path: string): Deployment {
  const resources: Record<string, object> = {
    "AWS::S3::Bucket": { ref: "files", attributes: { RegionalDomainName: "files.example.com" } },
    "Custom::CDKBucketDeployment": { properties: { DestinationBucketName: "files", SourceObjectKeys: ["site.zip"] } },
  };
  return { resources: (type: string) => [resources[type]], findAsset: () => path } as unknown as Deployment;
}

test("bucket origin waits for files that are not finished", async () => {
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const origin = bucketOrigins(deploymentOf(directory.path), finished).get("files.example.com");
  const request = { method: "GET", query: "", headers: [], body: Buffer.alloc(0), sourceIp: "127.0.0.1" };
  const isWaiting: boolean[] = [];
  const server = createServer((incoming, response: ServerResponse) => {
    const answered = origin?.({ ...request, path: incoming.url ?? "", response }) ?? Promise.resolve();
    isWaiting.push(!response.writableEnded);
    void answered;
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [present, missing] = ["/pages/index.html", "/pages/other.html"].map((path) => fetch(url + path));
  await expect.poll(() => isWaiting).toEqual([true, true]);
  mkdirSync(join(directory.path, "pages"));
  writeFileSync(join(directory.path, "pages/index.html"), "<p>Hello</p>");
  finish();
  expect(await (await present)?.text()).toBe("<p>Hello</p>");
  expect((await missing)?.status).toBe(404);
  server.close();
});
