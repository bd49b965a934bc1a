import { type App, Stack, Validations } from "aws-cdk-lib";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { AwsSolutionsChecks } from "cdk-nag";
import { expect, it } from "vitest";
import { synthesise } from "./synthesise.ts";

const check = (app: App) => Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

it("passes cdk-nag's AwsSolutions, each exception with its reason", () => {
  expect(() => synthesise({ stage: "prod", before: check })).not.toThrow();
});

it("would not pass with a queue that takes unencrypted requests", () => {
  const worse = (app: App) => {
    new Queue(new Stack(app, "Worse"), "Queue");
    check(app);
  };
  expect(() => synthesise({ stage: "prod", before: worse })).toThrow(/Validation failed|AwsSolutions-SQS4/);
});
