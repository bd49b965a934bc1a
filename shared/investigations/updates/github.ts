import { hasMark, toNote, type UpdateProvider } from "./provider.ts";

const issueLink = /^https:\/\/[^/]+\/([\w.-]+\/[\w.-]+)\/issues\/(\d{1,12})(?:[/?#]|$)/;

/**
 * Provider that comments on and closes issues of one GitHub repository.
 * @see https://docs.github.com/en/rest/issues/comments
 */
export const github: UpdateProvider = {
  defaultUrl: "https://api.github.com",
  actions: ["acknowledge", "note", "resolve"],
  requires: ["repository", "secret"],
  headersOf: (secret) => ({
    accept: "application/vnd.github+json",
    authorization: `Bearer ${secret}`,
    "x-github-api-version": "2022-11-28",
  }),
  findTarget({ provider, link }, { repository }) {
    const [, name, number] = (provider === "github" && issueLink.exec(link ?? "")) || [];
    // The sender of an alert must not choose among the repositories that the token can change.
    if (!name || repository === null || name.toLowerCase() !== repository.toLowerCase()) return null;
    return { id: `${repository}#${number}` };
  },
  async write(call, { id }, update) {
    const { action, text, isRepeated } = update;
    const path = `/repos/${id.replace("#", "/issues/")}`;
    const comment = action === "acknowledge" ? "Acknowledged" : text;
    const since = encodeURIComponent(update.created_at);
    const isWritten = async () => hasMark(await call("GET", `${path}/comments?per_page=100&since=${since}`), update);
    if (comment && !(isRepeated && (await isWritten()))) {
      await call("POST", `${path}/comments`, { body: toNote(update, comment) });
    }
    if (action === "resolve") await call("PATCH", path, { state: "closed", state_reason: "completed" });
  },
};
