import { Annotations, type App } from "aws-cdk-lib";
import { encryptData } from "../constructs/customer-key.ts";
import { resourceName, type StackContext } from "../stack-context.ts";
import { ApiStack } from "./api-stack.ts";
import { ChangesStack } from "./changes-stack.ts";
import { DataStack } from "./data-stack.ts";
import { EdgeStack } from "./edge-stack.ts";
import { FilesStack } from "./files-stack.ts";
import { ObservabilityStack } from "./observability-stack.ts";
import { SchedulesStack } from "./schedules-stack.ts";
import { StreamingStack } from "./streaming-stack.ts";

export function addStacks(app: App, context: StackContext): void {
  const named = (part: string) => resourceName(context, part);
  const data = new DataStack(app, named("data"), context);
  const files = new FilesStack(app, named("files"), context, data);
  const api = new ApiStack(app, named("api"), context, data);
  const streaming = new StreamingStack(app, named("streaming"), context, data);
  const edge = new EdgeStack(app, named("edge"), context, { data, api, streaming });
  if (context.bundle.processors.length > 0) {
    const changes = new ChangesStack(app, named("changes"), context, data, files.uploads);
    if (data.keyArn !== undefined) encryptData([changes], data.keyArn);
  }
  // The bucket of the edge stack contains the programs of the website, which are public.
  if (data.keyArn !== undefined) encryptData([data, files], data.keyArn);
  new SchedulesStack(app, named("schedules"), context, data, edge);
  const { alarms } = context.config;
  if (alarms) new ObservabilityStack(app, named("observability"), context, alarms);
  for (const warning of context.config.warnings) Annotations.of(api).addWarningV2("switchboard:configuration", warning);
}
