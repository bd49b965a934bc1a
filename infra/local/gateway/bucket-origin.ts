import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { extname, join, matchesGlob, normalize } from "node:path";
import { gzipSync } from "node:zlib";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { fields, list, text } from "../json.ts";
import {
  decode,
  type GatewayRequest,
  header,
  type OriginHandler,
  sendResponse,
  startResponse,
} from "./gateway-request.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};
const compressible = /^(?:text\/|application\/json|image\/svg)/;

/** Minimum size of a file that CloudFront compresses, in bytes. */
const MIN_COMPRESSED_BYTES = 1_000;

interface BucketFile {
  readonly path: string;
  readonly cacheControl: string | undefined;
}

/**
 * Returns a CloudFront origin by host name for each bucket that a `BucketDeployment` of the CDK fills. The origin serves the
 * source files of the assets, when they are finished. A missing object gets 404, as for callers with the right to list the bucket.
 */
export function bucketOrigins(deployment: Deployment, finished = Promise.resolve()): Map<string, OriginHandler> {
  const deployments = deployment.resources("Custom::CDKBucketDeployment");
  return new Map(
    deployment.resources("AWS::S3::Bucket").map(({ ref, attributes }) => {
      const own = deployments.filter(({ properties }) => properties.DestinationBucketName === ref);
      return [attributes.RegionalDomainName ?? "", bucketOrigin(own, deployment, finished)];
    }),
  );
}

function bucketOrigin(
  deployments: readonly DeployedResource[],
  deployment: Deployment,
  finished: Promise<void>,
): OriginHandler {
  const compressed = new Map<string, Buffer>();
  const findFile = (key: string): BucketFile | undefined => {
    for (const { properties } of deployments) {
      if (!isIncluded(key, list(properties.Exclude).map(String), list(properties.Include).map(String))) continue;
      const cacheControl = text(fields(properties.SystemMetadata)["cache-control"]);
      for (const asset of list(properties.SourceObjectKeys)) {
        const path = join(deployment.findAsset(String(asset)) ?? "", key);
        if (statSync(path, { throwIfNoEntry: false })?.isFile()) return { path, cacheControl };
      }
    }
    return undefined;
  };
  return async (request) => {
    await finished;
    const key = normalize(decode(request.path)).slice(1);
    const file = key.startsWith("..") ? undefined : findFile(key);
    if (!file)
      return sendResponse(request, 404, [["content-type", "application/xml"]], "<Error><Code>NoSuchKey</Code></Error>");
    const body = readFileSync(file.path);
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    const mediaType = mediaTypes[extname(file.path)] ?? "binary/octet-stream";
    const headers: [string, string][] = [
      ["content-type", mediaType],
      ["etag", etag],
      ...(file.cacheControl ? [["cache-control", file.cacheControl] as [string, string]] : []),
    ];
    if (header(request, "if-none-match") === etag) return sendResponse(request, 304, headers, "");
    if (!isCompressed(request, mediaType, body)) {
      sendBody(request, headers, body);
      return;
    }
    const zipped = compressed.get(etag) ?? gzipSync(body, { level: 9 });
    compressed.set(etag, zipped);
    sendBody(request, [...headers, ["content-encoding", "gzip"], ["vary", "accept-encoding"]], zipped);
  };
}

/** Applies the filters of `aws s3 sync`: all files are included, and later filters override earlier ones. */
function isIncluded(key: string, exclude: readonly string[], include: readonly string[]): boolean {
  const matches = (pattern: string) => pattern === "*" || matchesGlob(key, pattern.replace(/\*$/, "**"));
  return include.some(matches) || !exclude.some(matches);
}

function isCompressed(request: GatewayRequest, mediaType: string, body: Buffer): boolean {
  const accepted = header(request, "accept-encoding") ?? "";
  return (
    request.compress === true &&
    /\bgzip\b/.test(accepted) &&
    compressible.test(mediaType) &&
    body.length >= MIN_COMPRESSED_BYTES
  );
}

/** Sends a body. A response to HEAD has the headers of the body, but no body. */
function sendBody(request: GatewayRequest, headers: [string, string][], body: Buffer): void {
  if (request.method === "HEAD") {
    startResponse(request, 200, [...headers, ["content-length", String(body.length)]]);
    request.response.end();
  } else sendResponse(request, 200, headers, body);
}
