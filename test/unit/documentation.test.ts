import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { connectionEvents, runEvents } from "#shared/api/conversations/chat-events.ts";
import { settings } from "#shared/lib/env.ts";
import { withKeyCharts } from "../../infra/checks/key-chart.ts";

const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(file));

/** Repository paths that a page names in backticks, and targets of its relative links. */
function namedPaths(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const quoted = [...text.matchAll(/`((?:shared|functions|infra|test|docs)\/[\w./-]*)`/g)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => join(dirname(page), path));
  return [...quoted, ...linked];
}

/** Pages with tables that say where something is. */
const indexPages = pages.filter((page) =>
  /^(?:CONTRIBUTING|(?:shared|functions|infra|test)(?:\/.*)?\/README)\.md$/.test(page),
);

/**
 * Returns the names in backticks in the cells of a page's tables, each with the file that the cell names after it, or else
 * before it.
 */
function namesInFiles(page: string): { readonly name: string; readonly file: string }[] {
  const rows = readFileSync(page, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("|"));
  return rows.flatMap((row) =>
    row.split("|").flatMap((cell) => {
      const quoted = [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
      const isFile = (text: string) => /^(?:[\w.-]+\/)+[\w.-]+\.\w+$/.test(text);
      return quoted.flatMap((name, index) => {
        const file = quoted.slice(index).find(isFile) ?? quoted.findLast(isFile);
        return file && /^[A-Za-z_][\w-]*$/.test(name) ? [{ name, file }] : [];
      });
    }),
  );
}

/** Statements of pages about a limit, with the constant that sets it. Both sides are literal, so that a change of one fails. */
const limits: readonly (readonly [page: string, statement: string, source: string, constant: string])[] = [
  ["CONTRIBUTING.md", "at most 250 lines in `shared`", "test/unit/structure.test.ts", "const MAX_LINES = 250"],
  [
    "docs/guides/attachments.md",
    "up to 10 files of 20 MiB",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_ATTACHMENTS = 10;",
  ],
  [
    "docs/guides/attachments.md",
    "up to 10 files of 20 MiB",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_ATTACHMENT_BYTES = 20_971_520;",
  ],
  [
    "shared/api/README.md",
    "the text of a message has at most 32,000 characters",
    "shared/api/conversations/messages.ts",
    "MessageText = nonEmptyText(32_000)",
  ],
  [
    "shared/api/README.md",
    "at most 200 and have at most 100,000 characters",
    "shared/api/conversations/messages.ts",
    'v.maxLength(200, "must have at most 200 blocks")',
  ],
  [
    "shared/api/README.md",
    "at most 200 and have at most 100,000 characters",
    "shared/api/conversations/messages.ts",
    "JSON.stringify(blocks).length <= 100_000",
  ],
  [
    "shared/api/README.md",
    "at most 10 files of 20 MiB",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_ATTACHMENTS = 10;",
  ],
  [
    "shared/api/README.md",
    "at most 10 files of 20 MiB",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_ATTACHMENT_BYTES = 20_971_520;",
  ],
  [
    "shared/api/README.md",
    "at most 4 MiB in a form and 50 MiB in an upload",
    "shared/api/limits.ts",
    "const MAX_FORM_FILE_BYTES = 4 * MEBIBYTE;",
  ],
  [
    "shared/api/README.md",
    "at most 4 MiB in a form and 50 MiB in an upload",
    "shared/api/limits.ts",
    "const MAX_UPLOAD_BYTES = 50 * MEBIBYTE;",
  ],
  [
    "shared/api/README.md",
    "the body of a request has at most 1 MiB",
    "shared/api/limits.ts",
    "const MAX_BODY_BYTES = MEBIBYTE;",
  ],
  [
    "shared/api/README.md",
    "images, audio or files has at most 3 MiB",
    "shared/api/openai/openai.ts",
    "const MAX_MEDIA_BODY_BYTES = 3 * 1_048_576;",
  ],
  ["shared/api/README.md", "a tenant may send 60 requests a minute", "shared/lib/env.ts", 'RATE_LIMIT_TENANT: "60"'],
  [
    "shared/api/README.md",
    "an API key and a webhook channel 120 each",
    "shared/lib/env.ts",
    'RATE_LIMIT_API_KEY: "120"',
  ],
  [
    "shared/api/README.md",
    "an API key and a webhook channel 120 each",
    "shared/lib/env.ts",
    'RATE_LIMIT_CHANNEL: "120"',
  ],
  ["shared/api/README.md", "a widget session 30", "shared/lib/env.ts", 'RATE_LIMIT_EMBED_SESSION: "30"'],
  ["shared/api/README.md", "an identity provider 1,500 over SCIM", "shared/lib/env.ts", 'RATE_LIMIT_SCIM: "1500"'],
  ["shared/api/README.md", "600 health checks", "shared/lib/env.ts", 'RATE_LIMIT_HEALTH: "600"'],
  ["shared/api/README.md", "120 other requests without credential", "shared/lib/env.ts", 'RATE_LIMIT_OPEN: "120"'],
  ["shared/api/README.md", "a share link has 30 views", "shared/lib/env.ts", 'RATE_LIMIT_SHARED_LINK: "30"'],
  [
    "docs/guides/attachments.md",
    "8,000 pixels on each side",
    "shared/api/conversations/attachments.ts",
    "const MAX_IMAGE_SIDE = 8_000;",
  ],
  [
    "docs/guides/attachments.md",
    "the first 400,000 characters",
    "shared/api/conversations/attachments.ts",
    "const MAX_ATTACHMENT_CHARACTERS = 400_000;",
  ],
  ["docs/guides/attachments.md", "valid for 15 minutes", "shared/api/limits.ts", "const UPLOAD_SECONDS = 900;"],
  ["docs/guides/attachments.md", "At most 20 files", "shared/chat/context/attached-files.ts", "const MAX_FILES = 20;"],
  [
    "docs/guides/knowledge.md",
    "files of up to 4 MiB",
    "shared/api/limits.ts",
    "const MAX_FORM_FILE_BYTES = 4 * MEBIBYTE;",
  ],
  ["docs/guides/knowledge.md", "up to 50 MiB", "shared/api/limits.ts", "const MAX_UPLOAD_BYTES = 50 * MEBIBYTE;"],
  [
    "docs/guides/knowledge.md",
    "10 MiB and 25 s for a page",
    "shared/api/limits.ts",
    "const MAX_WEB_PAGE_BYTES = 10 * MEBIBYTE;",
  ],
  [
    "docs/guides/knowledge.md",
    "10 MiB and 25 s for a page",
    "shared/knowledge/imports/polite-fetcher.ts",
    "const PAGE_TIMEOUT_MS = 25_000;",
  ],
  [
    "docs/guides/knowledge.md",
    "100 MiB and ten minutes for an import",
    "shared/api/limits.ts",
    "const MAX_IMPORT_BYTES = 100 * MEBIBYTE;",
  ],
  [
    "docs/guides/knowledge.md",
    "100 MiB and ten minutes for an import",
    "shared/knowledge/imports/run-import.ts",
    "const MAX_RUN_MS = 600_000;",
  ],
  [
    "docs/guides/knowledge.md",
    "20 imports in progress",
    "shared/knowledge/imports/import-runs.ts",
    "const MAX_RUNNING_IMPORTS = 20;",
  ],
  [
    "docs/guides/streaming.md",
    "A connection lasts 60 seconds",
    "shared/runs/streams/event-stream.ts",
    "const MAX_CONNECTION_MS = 60_000;",
  ],
  ["docs/guides/openai.md", "its texts 1 MiB", "shared/lib/env.ts", `OPENAI_TEXT_MIB: "1"`],
  [
    "shared/openai/README.md",
    "after 200 ms with a comment",
    "shared/openai/completions/completion-stream.ts",
    "const FIRST_BYTE_MS = 200;",
  ],
  [
    "shared/runs/README.md",
    "a run notices within 0.8 s",
    "shared/runs/run-heartbeat.ts",
    "const POLL_INTERVAL_MS = 800;",
  ],
  ["shared/webhooks/README.md", "up to 16 KB", "shared/webhooks/delivery-store.ts", "const MAX_BODY_LENGTH = 16_384;"],
  [
    "infra/decisions/0018-read-files-in-a-job-with-small-parsers.md",
    "whose thread has 800 MB",
    "shared/files/extract-in-process.ts",
    "const MAX_HEAP_MB = 800;",
  ],
  [
    "infra/decisions/0018-read-files-in-a-job-with-small-parsers.md",
    "6 s of processor time and 2 s for each mebibyte",
    "shared/files/extract-in-process.ts",
    "const CPU_MS_PER_MEBIBYTE = 2_000;",
  ],
  [
    "infra/decisions/0018-read-files-in-a-job-with-small-parsers.md",
    "2,000 pages, 3 million",
    "shared/files/extraction-limits.ts",
    "const MAX_EXTRACTED_TEXT_LENGTH = 3_000_000;",
  ],
  [
    "docs/guides/attachments.md",
    "the latest 10 images",
    "shared/chat/context/attached-files.ts",
    "const MAX_IMAGES = 10;",
  ],
  [
    "docs/guides/attachments.md",
    "up to six passages",
    "shared/chat/phases/retrieval.ts",
    "const MAX_FILE_SOURCES = 6;",
  ],
  ["docs/guides/attachments.md", "at most 35% of the prompt", "shared/chat/context/context-budget.ts", "files: 0.35,"],
  [
    "docs/guides/attachments.md",
    "valid for five minutes",
    "shared/conversations/attachments/attachment-files.ts",
    "const DOWNLOAD_SECONDS = 300;",
  ],
  [
    "docs/guides/budgets.md",
    "In its last hundred answers",
    "shared/governance/budgets/admit-answer.ts",
    "const RESERVING_ANSWERS = 100;",
  ],
  [
    "docs/guides/budgets.md",
    "When 80 and 100 percent are used",
    "shared/governance/budgets/budget-alerts.ts",
    "const THRESHOLDS = [80, 100];",
  ],
  ["docs/guides/events.md", "2xx within ten seconds", "shared/events/deliver-event.ts", "const TIMEOUT_MS = 10_000;"],
  [
    "docs/guides/events.md",
    "replayed for 30 days",
    "shared/events/delivery-store.ts",
    "const RETENTION_SECONDS = 30 * 24 * 3_600;",
  ],
  [
    "docs/guides/identity-providers.md",
    "up to five of its own",
    "shared/api/tenancy/issuers.ts",
    "export const MAX_ISSUERS = 5;",
  ],
  ["docs/guides/identity-providers.md", "at most 50", "shared/auth/token-claims.ts", "const MAX_GROUPS = 50;"],
  [
    "docs/guides/identity-providers.md",
    "full groups (1,000 members)",
    "shared/api/tenancy/access.ts",
    "export const MAX_MEMBERS = 1_000;",
  ],
  [
    "docs/guides/incidents.md",
    "Three investigations of a tenant run at a time",
    "shared/investigations/slots.ts",
    "const MAX_RUNNING = 3;",
  ],
  [
    "docs/guides/openai.md",
    "may take 300 seconds",
    "shared/models/open-completion.ts",
    "const ANSWER_TIMEOUT_MS = 300_000;",
  ],
  [
    "docs/guides/openai.md",
    "After 40 seconds its response starts",
    "shared/openai/completions/whole-reply.ts",
    "const SILENCE_MS = 40_000;",
  ],
  [
    "docs/guides/openai.md",
    "extends the start to two seconds",
    "shared/openai/completions/completion-stream.ts",
    "const RETRY_MS = 2_000;",
  ],
  [
    "docs/guides/operations.md",
    "no answer within 45 seconds",
    "shared/probe/probe-chat.ts",
    "const PROBE_TIMEOUT_MS = 45_000;",
  ],
  [
    "docs/guides/operations.md",
    "over one hour at 14.4 times the allowed failures, and over six hours at 6 times",
    "infra/constructs/alarm-specs.ts",
    "{ fast: { hours: 1, multiple: 14.4 }, slow: { hours: 6, multiple: 6 } }",
  ],
  [
    "docs/guides/people.md",
    "for five minutes",
    "shared/tenancy/members/invitation-store.ts",
    "const REPETITION_MS = 300_000;",
  ],
  [
    "docs/guides/people.md",
    "at most 100 invitations",
    "shared/tenancy/members/invitation-store.ts",
    "const MAX_INVITATIONS = 100;",
  ],
  [
    "docs/guides/slack.md",
    "longer than 11,500 characters",
    "shared/slack/answer-transport.ts",
    "const MAX_CHARACTERS = 11_500;",
  ],
  [
    "docs/guides/slack.md",
    "a window of five minutes",
    "shared/slack/signature.ts",
    "const TIMESTAMP_TOLERANCE_SECONDS = 300;",
  ],
  [
    "docs/guides/teams.md",
    "longer than 20,000 characters",
    "shared/teams/answer-transport.ts",
    "const MAX_CHARACTERS = 20_000;",
  ],
  [
    "docs/guides/tenants.md",
    "45 seconds after the request",
    "shared/governance/tenant-deletion/delete-tenant.ts",
    "const SUSPENSION_MS = 45_000;",
  ],
  [
    "docs/guides/tenants.md",
    "once more 15 minutes later",
    "shared/governance/tenant-deletion/delete-tenant.ts",
    "const VERIFICATION_DELAY_SECONDS = 900;",
  ],
  ["docs/guides/tools.md", "at most 3 deep", "shared/tools/mcp/call-depth.ts", "const MAX_CALL_DEPTH = 3;"],
  ["docs/runbooks.md", "more than 20 minutes", "infra/constructs/alarm-specs.ts", "threshold: 20 * 60,"],
  ["docs/runbooks.md", "timed out eleven times", "infra/stacks/changes-stack.ts", "retryAttempts: 10,"],
  ["docs/runbooks.md", "tried 100 times", "infra/stacks/changes-stack.ts", "isFailureJob(name) ? 100 : 5"],
  [
    "shared/openai/README.md",
    "waits at most 1.5 s in all",
    "shared/models/open-completion.ts",
    "const MAX_STREAM_WAIT_MS = 1_500;",
  ],
  [
    "docs/guides/streaming.md",
    "Streams can be replayed for a day",
    "shared/runs/run-log-store.ts",
    "const RUN_LOG_TTL_SECONDS = 24 * 3_600;",
  ],
  [
    "docs/guides/events.md",
    "for 5 and 30 seconds, 2 and 10 minutes, then for 15 minutes each time",
    "shared/events/endpoint-pause.ts",
    "const pauseSeconds = [5, 30, 120, 600];",
  ],
  [
    "docs/guides/events.md",
    "then for 15 minutes each time, each with up to a fifth more",
    "shared/events/endpoint-pause.ts",
    "const MAX_PAUSE_SECONDS = 900;",
  ],
  [
    "docs/guides/events.md",
    "one that waits for more than a day fails",
    "shared/events/deliver-event.ts",
    "const MAX_OVERDUE_SECONDS = 24 * 3_600;",
  ],
  [
    "docs/guides/events.md",
    "5 and 30 seconds, 2, 10 and 30 minutes, 1, 2, 4, 8 and 11 hours",
    "shared/events/deliver-event.ts",
    "const pauses = [5, 30, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 11 * hour];",
  ],
  [
    "docs/guides/incidents.md",
    "repeated for 43 to 51 minutes",
    "shared/investigations/updates/deliver-update.ts",
    "const pauses = [5, 30, 120, 600, 1_800];",
  ],
  [
    "docs/guides/knowledge.md",
    "up to five documents",
    "shared/api/conversations/attachment-limits.ts",
    "const MAX_QUESTION_DOCUMENTS = 5;",
  ],
  [
    "docs/guides/knowledge.md",
    "a relevance of at least 0.52",
    "shared/knowledge/search/relevance.ts",
    "const MIN_RELEVANCE = 0.52;",
  ],
  [
    "docs/guides/knowledge.md",
    "searched again with a relevance of 0.3",
    "shared/knowledge/search/relevance.ts",
    "(findEmbeddingSpace() ? null : 0.3);",
  ],
  [
    "docs/guides/knowledge.md",
    "ranks the best 20 passages again",
    "shared/knowledge/search/rerank-passages.ts",
    "const RERANKED_PASSAGES = 20;",
  ],
  [
    "docs/guides/governance.md",
    "at most 2,000 files of 100 MB together",
    "shared/governance/exports/archive-parts.ts",
    "const MAX_PART_FILES = 2_000;",
  ],
  [
    "docs/guides/governance.md",
    "at most 2,000 files of 100 MB together",
    "shared/governance/exports/archive-parts.ts",
    "const MAX_PART_BYTES = 100_000_000;",
  ],
  [
    "docs/guides/governance.md",
    "at most 60,000 characters of a message",
    "shared/api/conversations/import-messages.ts",
    "const MAX_IMPORTED_CHARACTERS = 60_000;",
  ],
  [
    "docs/guides/governance.md",
    "up to 50 messages a request",
    "shared/api/conversations/import-messages.ts",
    "const MAX_IMPORTED_MESSAGES = 50;",
  ],
  [
    "docs/guides/operations.md",
    "five attempts within half an hour",
    "shared/telemetry/export-run.ts",
    "const pauses = [30, 120, 600, 900];",
  ],
  [
    "docs/guides/tools.md",
    "for up to 12 hours",
    "shared/governance/approvals/approval-store.ts",
    "tool_execution: 12 * HOUR_MS,",
  ],
  [
    "docs/guides/tools.md",
    "two minutes for the answer are left",
    "shared/chat/pause-turn.ts",
    "const ANSWER_TIME_MS = 120_000;",
  ],
  [
    "docs/guides/tools.md",
    "stored state of 390 KB",
    "shared/runs/pauses/paused-run-store.ts",
    "const MAX_STATE_BYTES = 390_000;",
  ],
  [
    "docs/guides/tools.md",
    "in parts of 16,000 characters",
    "shared/chat/tools/long-results.ts",
    "const PART_CHARACTERS = 16_000;",
  ],
  [
    "docs/guides/tools.md",
    "in parts of 12,000 characters",
    "shared/knowledge/web/read-web-page.ts",
    "const PART_CHARACTERS = 12_000;",
  ],
  [
    "docs/guides/scim.md",
    "changes more than 90 members",
    "shared/tenancy/group-store.ts",
    "const MAX_MEMBER_CHANGES = 90;",
  ],
  [
    "docs/guides/widget.md",
    "`proactive-seconds` (8)",
    "functions/web/widget/assistant-chat.ts",
    "const proactiveSeconds = 8;",
  ],
  [
    "docs/guides/back-end.md",
    "valid for an hour at most",
    "shared/api/tenancy/tokens.ts",
    "const MAX_LIFETIME_SECONDS = 3_600;",
  ],
  ["infra/configuration.md", "the default is 600", "infra/config.ts", 'const LOCAL_RATE_LIMIT_TENANT = "600";'],
  [
    "infra/decisions/0072-limit-questions-to-the-passages-of-named-documents.md",
    "at most 24, because",
    "shared/chat/phases/retrieval.ts",
    "const MAX_NAMED_SOURCES = 24;",
  ],
  [
    "infra/decisions/0074-show-approvers-the-conversation-that-they-decide-about.md",
    "the last 20 messages of the branch",
    "shared/governance/approvals/decided-conversation.ts",
    "const limits = { messages: 20, characters: 4_000 };",
  ],
  [
    "docs/guides/incidents.md",
    "up to ten events of the incident, up to eight other incidents",
    "shared/chat/investigation/read-incident.ts",
    "const [MAX_ALERTS, MAX_OTHERS, MAX_EARLIER] = [10, 8, 5];",
  ],
  [
    "docs/guides/incidents.md",
    "within 30 minutes before or after its start",
    "shared/chat/investigation/read-incident.ts",
    "const AROUND_MS = 30 * 60_000;",
  ],
];

it.each(pages)("documentation of the repository refers only to files that exist: page %s", (page) => {
  expect(namedPaths(page).filter((path) => !existsSync(path))).toEqual([]);
});

it.each(indexPages)(
  "documentation of the repository names only constants and functions that their file contains: page %s",
  (page) => {
    const missing = namesInFiles(page).filter(
      ({ name, file }) => !existsSync(file) || !new RegExp(`\\b${name}\\b`).test(readFileSync(file, "utf8")),
    );
    expect(missing).toEqual([]);
  },
);

it("documentation of the repository lists every page with a table of places in CONTRIBUTING.md", () => {
  const contributing = readFileSync("CONTRIBUTING.md", "utf8");
  const withTable = indexPages.filter((page) => readFileSync(page, "utf8").includes("| what | where |"));
  expect(withTable.length).toBeGreaterThan(25);
  expect(withTable.filter((page) => !contributing.includes(`(${page})`))).toEqual([]);
});

it("documentation of the repository contains enough file paths for this test to check", () => {
  expect(indexPages.flatMap(namesInFiles).length).toBeGreaterThan(300);
  expect(namedPaths("CONTRIBUTING.md").length).toBeGreaterThan(10);
});

it("documentation of the repository lists every setting with its default value", () => {
  const rows = [
    ...readFileSync("infra/configuration.md", "utf8").matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)?[^|]*\| \S/gm),
  ];
  const documented = new Map(rows.map(([, name = "", fallback = ""]) => [name, fallback]));
  const actual = Object.assign({}, ...Object.values(settings)) as Record<string, string>;
  for (const [name, fallback] of Object.entries(actual)) expect([name, documented.get(name)]).toEqual([name, fallback]);
});

it("documentation of the repository lists every environment variable that tools read", () => {
  const sources = execFileSync("git", ["ls-files", "infra/*.ts", "shared/*.ts"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => file !== "" && existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const read = [...sources.matchAll(/(?:getToolSetting|integerSetting)\("([A-Z_]+)"/g)].map(([, name = ""]) => name);
  expect(read.length).toBeGreaterThan(5);
  const page = readFileSync("infra/configuration.md", "utf8");
  const internal = ["PATH", "BASE_URL"];
  expect([...new Set(read)].filter((name) => !internal.includes(name) && !page.includes(`| \`${name}\``))).toEqual([]);
});

it("documentation of the repository describes every folder of shared in CONTRIBUTING.md", () => {
  const readme = readFileSync("CONTRIBUTING.md", "utf8");
  const folders = execFileSync("git", ["ls-files", "shared/*.ts"], { encoding: "utf8" })
    .split("\n")
    .map((file) => file.split("/").slice(0, 2).join("/"))
    .filter((folder) => folder !== "");
  expect([...new Set(folders)].filter((folder) => !readme.includes(`\`${folder}\``))).toEqual([]);
});

it("documentation of the repository names every folder of tests in CONTRIBUTING.md", () => {
  const [row = ""] = /^\| \[`test`\].*$/m.exec(readFileSync("CONTRIBUTING.md", "utf8")) ?? [];
  const files = execFileSync("git", ["ls-files", "test/*/*"], { encoding: "utf8" }).split("\n");
  const folders = new Set(files.flatMap((file) => /^test\/([\w-]+)\//.exec(file)?.[1] ?? []));
  expect([...folders].filter((folder) => !row.includes(`\`${folder}\``))).toEqual([]);
});

it("documentation of the repository lists every event of a chat's stream in the guide of streaming", () => {
  const page = readFileSync("docs/guides/streaming.md", "utf8");
  const types = Object.keys({ ...runEvents, ...connectionEvents });
  expect(types.filter((type) => !page.includes(`\`${type}\``))).toEqual([]);
});

it("documentation of the repository lists every table key in the format that its key function returns", () => {
  const page = readFileSync("shared/dynamodb/README.md", "utf8");
  expect(page).toContain("| message | `T#conversation#<conversation>` | `message#<message>` |");
  expect(withKeyCharts(page)).toBe(page);
});

it("documentation of the repository lists every decision record in the index of decisions", () => {
  const index = readFileSync("infra/decisions/README.md", "utf8");
  const decisions = pages.filter((page) => /^infra\/decisions\/\d{4}/.test(page));
  expect(decisions.length).toBeGreaterThan(15);
  for (const page of decisions) {
    expect(index).toContain(page.replace("infra/decisions/", ""));
    const text = readFileSync(page, "utf8");
    expect(text).toMatch(/^# \d{4}\. \S/);
    for (const part of ["- Status: ", "- Date: 20", "## Context", "## Decision", "## Consequences"]) {
      expect([page, text.includes(part)]).toEqual([page, true]);
    }
  }
});

it.each(limits)(
  "documentation of the repository states the limits that the code sets: page %s, %s",
  (page, statement, source, constant) => {
    const text = readFileSync(page, "utf8").replaceAll(/\s+/g, " ");
    expect([text.includes(statement), readFileSync(source, "utf8").includes(constant)]).toEqual([true, true]);
  },
);

it("documentation of the repository names only npm scripts that exist", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const named = pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(/npm run ([a-z:-]+)/g)].map(([, name = ""]) => [page, name] as const),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(([, name]) => !Object.hasOwn(scripts, name))).toEqual([]);
});

it("documentation of the repository names every npm script except postinstall on at least one page", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const text = pages.map((page) => readFileSync(page, "utf8")).join("\n");
  const internal = ["postinstall"];
  const isNamed = (name: string) => text.includes(`npm run ${name}`) || text.includes(`npm ${name}`);
  expect(Object.keys(scripts).filter((name) => !internal.includes(name) && !isNamed(name))).toEqual([]);
});
