import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DeployedResource, Deployment } from "../assembly/deployment.ts";
import { region } from "../assembly/local-account.ts";
import { type Fields, fields, list, text } from "../json.ts";
import { md5, type Queue } from "../queues/queue.ts";

/** An S3 bucket that stores each object in a file. */
export class Bucket {
  readonly name: string;
  readonly arn: string;
  /** Rules of the CORS configuration. */
  readonly corsRules: Fields[];
  readonly #directory: string;
  readonly #notify: (key: string, size: number, etag: string) => void;

  /** @param notify called after an object was created */
  constructor(
    resource: DeployedResource,
    directory: string,
    notify: (key: string, size: number, etag: string) => void,
  ) {
    this.name = resource.ref;
    this.arn = resource.attributes.Arn ?? "";
    this.corsRules = list(fields(resource.properties.CorsConfiguration).CorsRules).map(fields);
    this.#directory = join(directory, this.name);
    this.#notify = notify;
    mkdirSync(this.#directory, { recursive: true });
  }

  /** Stores an object and returns its entity tag. */
  put(key: string, content: Buffer): string {
    writeFileSync(this.#path(key), content);
    const etag = createHash("md5").update(content).digest("hex");
    this.#notify(key, content.length, etag);
    return etag;
  }

  find(key: string): Buffer | undefined {
    return existsSync(this.#path(key)) ? readFileSync(this.#path(key)) : undefined;
  }

  delete(key: string): void {
    rmSync(this.#path(key), { force: true });
  }

  /** File names cannot contain slashes and are limited to 255 bytes, so files are named by a hash of the key. */
  #path(key: string): string {
    return join(this.#directory, createHash("sha256").update(key).digest("hex"));
  }
}

/** Creates the buckets of the app by name. Events of created objects go to the queues of their notification configuration. */
export function createBuckets(
  deployment: Deployment,
  directory: string,
  queues: ReadonlyMap<string, Queue>,
): Map<string, Bucket> {
  const buckets = deployment.resources("AWS::S3::Bucket").map((resource) => {
    const { QueueConfigurations } = fields(resource.properties.NotificationConfiguration);
    const targets = list(QueueConfigurations)
      .map(fields)
      .filter(({ Event }) => text(Event)?.startsWith("s3:ObjectCreated:"))
      .flatMap(({ Queue: arn }) => queues.get(text(arn) ?? "") ?? []);
    const notify = (key: string, size: number, etag: string) => {
      for (const queue of targets) queue.send(JSON.stringify(toEvent(resource, key, size, etag)));
    };
    return new Bucket(resource, directory, notify);
  });
  return new Map(buckets.map((bucket) => [bucket.name, bucket]));
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html */
function toEvent({ ref, attributes }: DeployedResource, key: string, size: number, eTag: string): Fields {
  const object = { key: encodeURIComponent(key).replaceAll("%2F", "/"), size, eTag, sequencer: md5(key).slice(0, 16) };
  return {
    Records: [
      {
        eventVersion: "2.1",
        eventSource: "aws:s3",
        awsRegion: region,
        eventTime: new Date().toISOString(),
        eventName: "ObjectCreated:Put",
        s3: { s3SchemaVersion: "1.0", bucket: { name: ref, arn: attributes.Arn }, object },
      },
    ],
  };
}
