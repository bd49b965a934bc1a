import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { type Fields, fields, list } from "../json.ts";
import type { Queue } from "../queues/queue.ts";
import { bucketNotifier, type CreatedObject } from "./bucket-events.ts";

/** Local S3 bucket, which stores each object in a file. */
export class Bucket {
  readonly name: string;
  readonly arn: string;
  readonly corsRules: Fields[];
  readonly #directory: string;
  readonly #notify: (object: CreatedObject) => void;

  /** @param notify called with each object after it was stored */
  constructor(resource: DeployedResource, directory: string, notify: (object: CreatedObject) => void) {
    this.name = resource.ref;
    this.arn = resource.attributes.Arn ?? "";
    this.corsRules = list(fields(resource.properties.CorsConfiguration).CorsRules).map(fields);
    this.#directory = join(directory, this.name);
    this.#notify = notify;
    mkdirSync(this.#directory, { recursive: true });
  }

  /**
   * Stores an object.
   * @returns ETag of the object
   */
  put(key: string, content: Buffer): string {
    writeFileSync(this.#path(key), content);
    const etag = createHash("md5").update(content).digest("hex");
    this.#notify({ key, size: content.length, etag });
    return etag;
  }

  find(key: string): Buffer | undefined {
    return existsSync(this.#path(key)) ? readFileSync(this.#path(key)) : undefined;
  }

  delete(key: string): void {
    rmSync(this.#path(key), { force: true });
  }

  /**
   * Returns the file of an object. It is named by a hash of the key, because file names cannot contain slashes and are
   * limited to 255 bytes.
   */
  #path(key: string): string {
    return join(this.#directory, createHash("sha256").update(key).digest("hex"));
  }
}

/** Creates the buckets of the app by name. */
export function createBuckets(
  deployment: Deployment,
  directory: string,
  queues: ReadonlyMap<string, Queue>,
): Map<string, Bucket> {
  const buckets = deployment
    .resources("AWS::S3::Bucket")
    .map((resource) => new Bucket(resource, directory, bucketNotifier(resource, deployment, queues)));
  return new Map(buckets.map((bucket) => [bucket.name, bucket]));
}
