import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { type ApiResponse, Client, newIdentity } from "#test/support/client.ts";
import { startEmbeddingServer } from "#test/support/knowledge/embedding-server.ts";
import { isFullRun, sized } from "#test/support/run-size.ts";
import { startScriptedService } from "#test/support/scripted-service.ts";
import { startSlackStub } from "#test/support/slack/slack-stub.ts";
import { callEveryOperation } from "#test/support/tables/every-operation.ts";
import { startTableProxy } from "#test/support/tables/table-proxy.ts";
import { startTeamsStub } from "#test/support/teams/teams-stub.ts";
import { Operator, readDeploymentKey } from "#test/support/tenancy/deployment-key.ts";

/** Number of concurrent callers; more than the batches of single-item reads that a function has in flight. */
const TENANT_COUNT = sized({ usual: 0, full: 5, soak: 8 });

/** Time that each call of the table takes in addition, so that concurrent reads are combined. */
const CALL_DELAY_MS = 40;

/** Returns a function that resolves when all callers have called it. */
function createBarrier(callers: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < callers) return;
      for (const release of waiting) release();
      waiting = [];
    });
}

describe.runIf(isFullRun)("every operation", () => {
  it(`every API operation succeeds when ${TENANT_COUNT} tenants use the API at the same time`, async () => {
    const table = await startTableProxy();
    const embeddings = await startEmbeddingServer();
    const [slack, teams] = await Promise.all([startSlackStub(), startTeamsStub()]);
    const service = await startScriptedService({
      env: {
        DYNAMODB_ENDPOINT: table.endpoint,
        EMBEDDING_PROVIDER: "openai-compatible",
        EMBEDDING_BASE_URL: embeddings.baseUrl,
        EMBEDDING_ID: "bench",
        ...slack.settings,
        ...teams.settings,
        // One instance of each function serves all requests.
        LOCAL_WORKERS: "1000",
      },
    });
    const called = new Set<string>();
    const meet = createBarrier(TENANT_COUNT);
    const callAsTenant = async () => {
      const client = new Client(newIdentity(), service.baseUrl);
      await client.get("/v1/me");
      const operator = new Operator(readDeploymentKey(service), service.baseUrl);
      await callEveryOperation(
        { client, upstream: service.upstream, operator, slack, teams },
        async (operation, request) => {
          called.add(operation);
          const call = async (turn: 0 | 1): Promise<ApiResponse> => {
            await meet();
            const response = await request(turn);
            // A run of one item may have ended before it is canceled.
            const isTooLate = operation === "cancelTestRun" && response.status === 409;
            if (response.status >= 400 && !operation.startsWith("refuse") && !isTooLate) {
              throw new Error(`${operation}: ${response.status} ${response.text}`);
            }
            return response;
          };
          return [(await call(0)).body, (await call(1)).body];
        },
      );
    };
    try {
      table.delayOf = () => CALL_DELAY_MS;
      await Promise.all(Array.from({ length: TENANT_COUNT }, callAsTenant));
      await sleep(1_000);
    } finally {
      await service.stop();
      embeddings.close();
      await Promise.all([slack.stop(), teams.stop()]);
      await table.stop();
    }
    expect([...called].sort()).toEqual(routes.map(({ id }) => id).sort());
  });
});
