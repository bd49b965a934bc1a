import { execFileSync } from "node:child_process";

/** Last commit before the convention was adopted. Its subject and earlier ones are not checked. */
const CONVENTION_BASE = "c4c0f5c1592cbc491be755355716d1c1bc9fd200";

/**
 * Pattern of the subject of a Conventional Commit, with a summary of at most 72 characters.
 * @see https://www.conventionalcommits.org
 */
const conventionalSubject =
  /^(?:feat|fix|perf|refactor|docs|test|build|ci|chore|revert)(?:\([a-z0-9,-]+\))?!?: [^ ].{0,71}$/;

/** Returns the commit subjects that do not follow the convention. */
export function findInvalidSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => !conventionalSubject.test(subject));
}

function git(...args: string[]): string {
  return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

/** Returns the commit subjects since the convention was adopted; empty without a git history, such as in a source archive. */
export function listSubjects(): string[] {
  try {
    return git("log", "--no-merges", "--format=%s", `${CONVENTION_BASE}..HEAD`).split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

if (import.meta.main) {
  const subjects = listSubjects();
  const invalid = findInvalidSubjects(subjects);
  for (const subject of invalid) console.log(`not a Conventional Commit: ${subject}`);
  console.log(`${invalid.length} invalid subjects in ${subjects.length} commits`);
  if (invalid.length > 0) process.exitCode = 1;
}
