import { saveFile } from "../../lib/save-file.ts";
import { api } from "../../session/session.ts";

/** Saves a run with all of its results as JSON, or its results as JUnit XML. */
export async function saveResults(id: string, form: "json" | "xml"): Promise<void> {
  const path = { id };
  if (form === "xml") {
    const response = await api.fetch(`/v1/test-runs/${id}/results`, { headers: { accept: "application/xml" } });
    saveFile(`test-run-${id}.xml`, await response.blob());
    return;
  }
  const run = await api.GET("/v1/test-runs/{id}", { params: { path } });
  const results = [];
  for await (const result of api.list("/v1/test-runs/{id}/results", { params: { path, query: { limit: 100 } } })) {
    results.push(result);
  }
  const content = new Blob([JSON.stringify({ run, results }, null, 2)], { type: "application/json" });
  saveFile(`test-run-${id}.json`, content);
}
