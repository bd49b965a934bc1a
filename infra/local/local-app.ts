import { setTimeout as sleep } from "node:timers/promises";
import { readAssembly } from "./assembly/assembly.ts";
import { Deployment } from "./assembly/deployment.ts";
import { Secrets } from "./assembly/secrets.ts";
import { Checkpoints } from "./event-sources/checkpoints.ts";
import { type EventSources, startEventSources } from "./event-sources/event-sources.ts";
import { startSchedules } from "./event-sources/schedules.ts";
import { FunctionHost } from "./functions/function-host.ts";
import { functionsOf } from "./functions/lambda-function.ts";
import { distribution } from "./gateway/cloudfront.ts";
import { functionUrls } from "./gateway/function-url.ts";
import { Gateway } from "./gateway/gateway.ts";
import type { Origin } from "./gateway/gateway-request.ts";
import { send } from "./gateway/gateway-request.ts";
import { restApis } from "./gateway/rest-api.ts";
import type { Queue } from "./queues/queue.ts";
import { queuesOf } from "./queues/queues.ts";
import { ServiceServer } from "./service-server.ts";
import { StateDirectory } from "./state-directory.ts";
import { type TableServer, tableServer } from "./tables/table-server.ts";
import { createTables } from "./tables/tables.ts";
import { startExpiry } from "./tables/ttl-sweeper.ts";

/** What to run, and where. */
export type LocalAppOptions = {
  /** Directory of the cloud assembly. */
  assembly: string;
  /** Directory for everything that outlives a restart. */
  stateDir: string;
  /** 0 takes any free port. */
  port: number;
  /** Forget the state first. */
  fresh?: boolean;
  /** How many function workers may be alive at a time. */
  workers?: number;
  /** How often expired items are deleted. */
  expiryMs?: number;
};

/** A cloud assembly, being served. */
export type LocalApp = {
  /** `http://127.0.0.1:8787` */
  url: string;
  /** The table server. */
  tableEndpoint: string;
  /** Outputs whose logical id starts with `Try`. */
  outputs: { logicalId: string; value: string }[];
  /** Stops everything in order, letting requests in flight end for up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
};

/**
 * Serves an assembly on localhost.
 * @throws Failure when something stands in the way that its user can put right
 */
export async function startLocalApp(options: LocalAppOptions): Promise<LocalApp> {
  let gateway: Gateway | undefined;
  let services: ServiceServer | undefined;
  let tables: TableServer | undefined;
  let host: FunctionHost | undefined;
  let sources: EventSources | undefined;
  let queues = new Map<string, Queue>();
  let stopSchedules = () => {};
  let stopExpiry = () => {};
  const state = new StateDirectory(options.stateDir);

  // From the outside in: no new work, then the work under way, then what that work needs.
  const close = async (graceMs = 3000) => {
    const deadline = performance.now() + graceMs;
    const remaining = () => Math.max(0, deadline - performance.now());
    stopSchedules();
    stopExpiry();
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
    const assembly = readAssembly(options.assembly);
    services = await ServiceServer.listen(state.token);
    await state.lock(services.address);
    if (options.fresh) state.clear();
    gateway = await Gateway.listen(options.port);
    tables = await tableServer(state.file("table.db"));

    const servicesUrl = `http://${services.address}`;
    const addresses = { gateway: gateway.address, queues: servicesUrl };
    const deployment = new Deployment(assembly, addresses, new Secrets(state.file("secrets.json")));
    await createTables(deployment, tables.endpoint);
    host = new FunctionHost(functionsOf(deployment), {
      endpoints: { dynamodb: tables.endpoint, sqs: servicesUrl, lambda: servicesUrl },
      workers: options.workers ?? 48,
    });
    queues = queuesOf(deployment, state.file("queues"));
    services.serve({ host, queues });
    const checkpoints = new Checkpoints(state.file("checkpoints.json"));
    const running = startEventSources(deployment, { host, queues, checkpoints, tableEndpoint: tables.endpoint });
    sources = running;
    stopSchedules = startSchedules(deployment, host);
    stopExpiry = startExpiry(deployment, tables.endpoint, options.expiryMs ?? 300_000);
    gateway.serve(publicOrigin(deployment, host), () => running.nudge());
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

/** The distribution; without one, the first stage of the first REST API. */
function publicOrigin(deployment: Deployment, host: FunctionHost): Origin {
  const apis = restApis(deployment, host);
  const found = distribution(deployment, new Map([...apis, ...functionUrls(deployment, host)]));
  if (found) return found;
  const [api] = apis.values();
  const [stage] = deployment.resources("AWS::ApiGateway::Stage");
  return async (exchange) => {
    if (api) await api({ ...exchange, path: `/${stage?.ref}${exchange.path}` });
    else send(exchange, 404, [["content-type", "text/plain"]], "This app has neither a distribution nor a REST API.");
  };
}
