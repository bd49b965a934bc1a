import { Annotations, type App } from "aws-cdk-lib";
import { nameOf, type Service } from "../stack-context.ts";
import { ApiStack } from "./api-stack.ts";
import { ChangesStack } from "./changes-stack.ts";
import { DataStack } from "./data-stack.ts";
import { EdgeStack } from "./edge-stack.ts";
import { ObservabilityStack } from "./observability-stack.ts";
import { StreamingStack } from "./streaming-stack.ts";

/** Adds the service's stacks to the app. */
export function addStacks(app: App, service: Service): void {
  const named = (part: string) => nameOf(service, part);
  const data = new DataStack(app, named("data"), service);
  const api = new ApiStack(app, named("api"), service, data);
  const streaming = new StreamingStack(app, named("streaming"), service, data);
  new EdgeStack(app, named("edge"), service, { data, api, streaming });
  if (service.bundle.processors.length > 0) new ChangesStack(app, named("changes"), service, data);
  const { alarms } = service.config;
  if (alarms) new ObservabilityStack(app, named("observability"), service, alarms);
  for (const warning of service.config.warnings) Annotations.of(api).addWarningV2("switchboard:configuration", warning);
}
