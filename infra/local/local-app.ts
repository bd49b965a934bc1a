import { setTimeout as sleep } from "node:timers/promises";
import { readAssembly } from "./assembly/assembly.ts";
import { Deployment } from "./assembly/deployment.ts";
import { createBuckets } from "./buckets/buckets.ts";
import { Checkpoints } from "./event-sources/checkpoints.ts";
import { type EventSources, startEventSources } from "./event-sources/event-sources.ts";
import { startSchedules } from "./event-sources/schedules.ts";
import { logGrants, setGrantLog } from "./functions/authorization.ts";
import { FunctionHost } from "./functions/function-host.ts";
import { type EnvironmentOf, getFunctions } from "./functions/lambda-function.ts";
import { bucketOrigins } from "./gateway/bucket-origin.ts";
import { distribution } from "./gateway/cloudfront.ts";
import { functionUrls } from "./gateway/function-url.ts";
import { Gateway } from "./gateway/gateway.ts";
import { type OriginHandler, sendResponse } from "./gateway/gateway-request.ts";
import { restApis } from "./gateway/rest-api.ts";
import type { Queue } from "./queues/queue.ts";
import { createQueues } from "./queues/queues.ts";
import { Secrets } from "./secrets/secrets.ts";
import { SecretsManager } from "./secrets/secrets-manager.ts";
import { ServiceServer } from "./service-server.ts";
import { StateDirectory } from "./state-directory.ts";
import { startTableServer, type TableServer } from "./tables/table-server.ts";
import { createTables } from "./tables/tables.ts";
import { startTtlSweeper } from "./tables/ttl-sweeper.ts";

interface LocalAppOptions {
  /** Directory of the cloud assembly. */
  assembly: string;
  /** Resolves when the assembly exists. Servers that do not need it start before. */
  usable?: Promise<void>;
  /** Resolves when all files of its assets exist, before which requests for files wait. */
  finished?: Promise<void>;
  /** Returns values of environment variables that replace those in the assembly, given their names. */
  environmentOf?: EnvironmentOf;
  /** Directory for state that survives a restart. */
  stateDir: string;
  /** Port to listen on; 0 selects a free one. */
  port: number;
  /** Port at which clients upload and download files; 0, the default, selects a free one. */
  filesPort?: number;
  /** Values of the header `Host` that are accepted in addition to names of this machine. */
  hosts?: readonly string[];
  /** True to delete the state before the start. */
  fresh?: boolean;
  /** True to load a function again when its code changes. */
  watch?: boolean;
  /** Maximum number of worker threads at a time. */
  maxWorkers?: number;
  /** Maximum number of concurrent invocations of all functions. */
  maxConcurrency?: number | undefined;
  /** Interval at which expired items are deleted, in place of DynamoDB's TTL. */
  ttlSweepIntervalMs?: number;
  /** File of the grant log, which records the permissions that functions have and use. */
  grantLog?: string | undefined;
  /** Directory for the compiled code of functions, which makes later starts of their workers faster. */
  codeCache?: string;
}

export interface LocalApp {
  /** Address of the app: `http://127.0.0.1:8787`. */
  url: string;
  /** URL of the table server. */
  tableEndpoint: string;
  /** Stack outputs whose logical id starts with `Try`. */
  outputs: { logicalId: string; value: string }[];
  /** Shuts down gracefully: waits up to `graceMs` for requests in flight. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a cloud assembly on localhost.
 * @throws Failure for problems that the user can fix
 */
export async function startLocalApp(options: LocalAppOptions): Promise<LocalApp> {
  let gateway: Gateway | undefined;
  let services: ServiceServer | undefined;
  let tables: TableServer | undefined;
  let host: FunctionHost | undefined;
  let sources: EventSources | undefined;
  let queues = new Map<string, Queue>();
  let stopSchedules = () => {};
  let stopTtlSweeper = () => {};
  const state = new StateDirectory(options.stateDir);

  // Shut down from the outside in: stop new work, then wait for work in flight, then stop its dependencies.
  const close = async (graceMs = 3000) => {
    const deadline = performance.now() + graceMs;
    const remaining = () => Math.max(0, deadline - performance.now());
    stopSchedules();
    stopTtlSweeper();
    await gateway?.close(graceMs);
    await Promise.race([sources?.close(), sleep(remaining(), undefined, { ref: false })]);
    await host?.close(remaining());
    await sources?.close();
    for (const queue of queues.values()) queue.close();
    await tables?.close();
    state.unlock();
    services?.close();
  };

  try {
    services = await ServiceServer.listen(state.token, options.filesPort);
    await state.lock(services.address);
    if (options.fresh) state.clear();
    gateway = await Gateway.listen(options.port, options.hosts);
    tables = await startTableServer(state.file("table.db"));

    const servicesUrl = `http://${services.address}`;
    const addresses = { gateway: gateway.address, queues: servicesUrl };
    const secrets = new Secrets(state.file("secrets.json"));
    await options.usable;
    const deployment = new Deployment(readAssembly(options.assembly), addresses, secrets);
    await createTables(deployment, tables.endpoint);
    const functions = getFunctions(deployment, options.environmentOf);
    setGrantLog(options.grantLog);
    for (const { role } of functions.values()) logGrants(role);
    host = new FunctionHost(functions, {
      grantLog: options.grantLog,
      codeCache: options.codeCache,
      endpoints: { dynamodb: tables.endpoint, services: servicesUrl },
      maxWorkers: options.maxWorkers ?? 16,
      maxConcurrency: options.maxConcurrency,
    });
    if (options.watch) host.watchCode();
    queues = createQueues(deployment, state.file("queues"));
    const buckets = createBuckets(deployment, state.file("buckets"), queues);
    services.serve({ host, queues, buckets, secrets: new SecretsManager(deployment, secrets) });
    const checkpoints = new Checkpoints(state.file("checkpoints.json"));
    const running = startEventSources(deployment, {
      host,
      queues,
      buckets,
      checkpoints,
      tableEndpoint: tables.endpoint,
    });
    sources = running;
    stopSchedules = startSchedules(deployment, host);
    stopTtlSweeper = startTtlSweeper(deployment, tables.endpoint, options.ttlSweepIntervalMs ?? 300_000);
    gateway.serve(publicOrigin(deployment, host, options.finished), () => running.nudge());
    return {
      url: `http://${gateway.address}`,
      tableEndpoint: tables.endpoint,
      outputs: deployment.outputs("Try"),
      close,
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** Returns the origin of public requests: the CloudFront distribution, or the first REST API's first stage if there is none. */
function publicOrigin(deployment: Deployment, host: FunctionHost, finished?: Promise<void>): OriginHandler {
  const apis = restApis(deployment, host);
  const edge = distribution(
    deployment,
    new Map([...apis, ...functionUrls(deployment, host), ...bucketOrigins(deployment, finished)]),
  );
  if (edge) return edge;
  const [api] = apis.values();
  const [stage] = deployment.resources("AWS::ApiGateway::Stage");
  return async (request) => {
    if (api) await api({ ...request, path: `/${stage?.ref}${request.path}` });
    else
      sendResponse(
        request,
        404,
        [["content-type", "text/plain"]],
        "This app has neither a distribution nor a REST API.",
      );
  };
}
