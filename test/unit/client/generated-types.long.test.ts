import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { generateTypes } from "../../../infra/commands/openapi-types.ts";
import openapi from "../../../openapi.json" with { type: "json" };

const run = promisify(execFile);

/** Compiles sources in a folder of the repository, where they can import its packages, and returns the errors. */
async function compile(sources: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(resolve("node_modules/.cache-types-"));
  try {
    for (const [name, source] of Object.entries(sources)) await writeFile(join(directory, name), source);
    const config = { extends: "../../tsconfig.json", include: ["*.ts"], exclude: [] };
    await writeFile(join(directory, "tsconfig.json"), JSON.stringify(config));
    const tsc = resolve("node_modules/typescript/lib/tsc.js");
    const { stdout } = await run(process.execPath, [tsc, "--noEmit", "-p", directory]).catch((error) => error);
    return stdout;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly deprecated?: boolean;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

/** Returns false for operations that answer with a stream, a page or a script instead of JSON. */
const answersJson = ({ responses }: Operation) =>
  Object.entries(responses).every(
    ([status, { content }]) => status >= "300" || !content || "application/json" in content,
  );

/**
 * Operations whose types are compared. Bodies of other vendors' formats accept any further fields, which the generator
 * writes as `Record<string, never>`.
 */
const operations = Object.entries(openapi.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !operation.deprecated && answersJson(operation))
      .filter(([, { operationId, tags }]) => !tags.includes("openai") && operationId !== "ingestAlert")
      .map(([method]) => ({ path, method })),
);

it("inferred types of the typed client equal the types that openapi-typescript generates", async () => {
  expect(operations.length).toBeGreaterThan(100);
  const generated = await generateTypes(openapi);
  expect(generated).toContain("export interface paths");
  const checks = operations.map(
    ({ path, method }, index) =>
      `export const body${index}: Mutual<Body<generated[${JSON.stringify(path)}][${JSON.stringify(method)}]>, Body<Paths[${JSON.stringify(path)}][${JSON.stringify(method)}]>> = true;\n` +
      `export const reply${index}: Mutual<Reply<generated[${JSON.stringify(path)}][${JSON.stringify(method)}]>, Reply<Paths[${JSON.stringify(path)}][${JSON.stringify(method)}]>> = true;`,
  );
  const use = `
    import createClient from "openapi-fetch";
    import type { Paths } from "../../shared/client/index.ts";
    import type { paths as generated } from "./generated.ts";
    type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : { wider: B; than: A }) : { wider: A; than: B };
    type Json<T> = T extends { content: infer C } ? C extends { "application/json": infer J } ? J : "none" : "none";
    type Body<T> = T extends { requestBody?: infer B } ? Json<NonNullable<B>> : "none";
    type Reply<T> = T extends { responses: infer R }
      ? { [S in keyof R & (200 | 201 | 202 | 204)]: Json<R[S]> } : "none";
    const client = createClient<generated>({ baseUrl: "" });
    const { data } = await client.GET("/v1/conversations", { params: { query: { limit: 5, pinned: true } } });
    export const title: string | undefined = data?.conversations[0]?.title;
    ${checks.join("\n")}
  `;
  const errors = await compile({ "generated.ts": generated, "use.ts": use });
  expect(errors).toBe("");
});
