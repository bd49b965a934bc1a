import { type App, Stack, Validations } from "aws-cdk-lib";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { AwsSolutionsChecks } from "cdk-nag";
import { expect, it, vi } from "vitest";
import { synthesize } from "./synthesize.ts";

const check = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

/** The checks visit every resource of the app. */
const timeout = 180_000;

it(
  "CDK app passes the AwsSolutions checks of cdk-nag",
  () => {
    expect(() => synthesize({ stage: "prod", hasSite: true, beforeSynth: check })).not.toThrow();
  },
  timeout,
);

it(
  "CDK app with a customer-managed key passes the AwsSolutions checks of cdk-nag",
  () => {
    vi.stubEnv("CUSTOMER_KEY", "on");
    expect(() => synthesize({ stage: "prod", hasSite: true, beforeSynth: check })).not.toThrow();
    vi.unstubAllEnvs();
  },
  timeout,
);

it(
  "cdk-nag rejects a queue without TLS enforcement",
  () => {
    const addInsecureQueue = (app: App) => {
      new Queue(new Stack(app, "Insecure"), "Queue");
      check(app);
    };
    expect(() => synthesize({ stage: "prod", beforeSynth: addInsecureQueue })).toThrow(
      /Validation failed|AwsSolutions-SQS4/,
    );
  },
  timeout,
);
