import {
  cancelTestRunRoute,
  createTestRunRoute,
  getTestRunRoute,
  listTestResultsRoute,
  listTestRunsRoute,
} from "#shared/api/evaluations/test-runs.ts";
import { toJunitXml } from "#shared/evaluations/runs/junit.ts";
import { authorizeTestRun, listReadableResults, readAllResults } from "#shared/evaluations/runs/list-results.ts";
import { prepareTestRun } from "#shared/evaluations/runs/prepare-run.ts";
import { cancelTestRun, listTestRuns, newTestRunWrites, toTestRun } from "#shared/evaluations/runs/test-run-store.ts";
import { authorizeTestSet } from "#shared/evaluations/test-set-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { negotiateMediaType } from "#shared/http/negotiate-media-type.ts";
import { pageReply, Reply, textReply } from "#shared/http/reply.ts";
import { authorizePersonaManagement } from "#shared/personas/persona-store.ts";

export const cancelTestRunHandler = endpoint(cancelTestRunRoute, async ({ principal, params }) => {
  const { id } = await authorizeTestRun(principal, params.id);
  await cancelTestRun(principal, id);
});

export const createTestRunHandler = endpoint(createTestRunRoute, async ({ principal, body, commit }) => {
  const { set_id, versions, models, dry_run, ...options } = body;
  const set = await authorizeTestSet(principal, set_id);
  const persona = await authorizePersonaManagement(principal, set.persona_id);
  const columns = [...new Set(versions ?? [persona.version])].flatMap((version) =>
    [...new Set(models)].map((model) => ({ version, model })),
  );
  const run = await prepareTestRun(principal, set, { columns, ...options });
  if (dry_run) return new Reply(200, { estimate: run.estimate });
  return commit(new Reply(201, toTestRun(run)), ...newTestRunWrites(principal, run));
});

export const getTestRunHandler = endpoint(getTestRunRoute, async ({ principal, params }) =>
  toTestRun(await authorizeTestRun(principal, params.id)),
);

export const listTestResultsHandler = endpoint(
  listTestResultsRoute,
  async ({ principal, params, query: { limit, cursor, ...filters }, headers }) => {
    const { id, columns } = await authorizeTestRun(principal, params.id);
    if (negotiateMediaType(headers, ["application/json", "application/xml"]) === "application/xml") {
      const xml = toJunitXml(id, columns, await readAllResults(principal, id, filters));
      return textReply(200, "application/xml; charset=utf-8", xml);
    }
    return pageReply("results", await listReadableResults(principal, id, { limit, cursor, ...filters }), limit);
  },
);

export const listTestRunsHandler = endpoint(listTestRunsRoute, async ({ principal, query }) => {
  const { id } = await authorizeTestSet(principal, query.set_id);
  const { entries, next } = await listTestRuns(principal, id, query);
  return pageReply("test_runs", { entries: entries.map(toTestRun), next }, query.limit);
});
