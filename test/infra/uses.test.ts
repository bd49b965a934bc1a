import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { reviewOf } from "../../infra/rights/derive-uses.ts";
import { readUses, type Uses, usesFile } from "../../infra/rights/uses.ts";
import { UsesReader } from "../../infra/rights/uses-reader.ts";

// `npm run check` compares the lock file with the code of every function. `permissions.test.ts` tests the roles that the templates
// make from it.

const root = mkdtempSync(join(tmpdir(), "switchboard-uses-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
for (const folder of ["functions", "shared"]) cpSync(folder, join(root, folder), { recursive: true });

const contract = { auth: "jwt", idempotency: "none", rateLimit: "tenant" } as const;
const file = "functions/api/memory/notes.ts";

/** Returns what the code of an operation uses with a statement that declares `other`, which its handler refers to. */
function readWith(statement: string): Uses {
  const code = readFileSync(file, "utf8").replace("getNote(principal, params.id)", (call) => `[${call}, other]`);
  writeFileSync(join(root, file), `${code}\n${statement || "const other = 1;"}\n`);
  return new UsesReader(root).read({ file, exportName: "getNoteHandler" }, contract);
}

const usesOf = readUses(process.cwd());

it("lock file of rights has what the code of an operation uses", () => {
  expect(readWith("")).toEqual(usesOf("get-note"));
});

it.each([
  [
    'import { deleteNote } from "#shared/memory/note-store.ts";\nexport const other = deleteNote;',
    { actions: ["DeleteItem"], partitions: [] },
  ],
  [
    'import { storeUpload } from "#shared/conversations/attachments/attachment-files.ts";\nexport const other = storeUpload;',
    { rights: ["s3:PutObject UPLOAD_BUCKET"], variables: ["UPLOAD_BUCKET"] },
  ],
  [
    'import { bedrockModel } from "#shared/models/bedrock.ts";\nexport const other = bedrockModel;',
    { rights: ["bedrock:InvokeModel"] },
  ],
  [
    'import { env } from "#shared/lib/env.ts";\nexport const other = () => env("TOOL_ROUNDS", "MODELS");',
    { variables: ["MODELS", "TOOL_ROUNDS"] },
  ],
  [
    'import { systemTable } from "#shared/dynamodb/tenant-scope.ts";\nexport const other = () => systemTable().get({ pk: "~other", sk: "x" });',
    { partitions: ["~other"] },
  ],
])("rights of an operation change when its code also contains %s", (statement, added) => {
  const [before, after] = [usesOf("get-note"), readWith(statement)];
  for (const [field, values] of Object.entries(added)) {
    const name = field as keyof Uses;
    expect(after[name]).toEqual(expect.arrayContaining(values));
    expect(after[name].length).toBeGreaterThanOrEqual(before[name].length + values.length);
  }
});

it("lock file of rights begins with what a reviewer must look at twice", () => {
  const { review, functions } = JSON.parse(readFileSync(usesFile, "utf8"));
  expect(Object.keys(JSON.parse(readFileSync(usesFile, "utf8")))[0]).toBe("review");
  expect(review).toEqual(reviewOf(functions));
  expect(review.secrets.DEPLOYMENT_KEY).toEqual(["authorizer-deployment-key"]);
  expect(review.secrets.ORIGIN_SECRET).toContain("start-chat");
  expect(review.secrets.ORIGIN_SECRET).not.toContain("watch-run");
  expect(review.deletions["s3:DeleteObject UPLOAD_BUCKET"]).toEqual(["process-file"]);
  expect(review.wildcards["index gsi1"]).toContain("list-conversations");
});
