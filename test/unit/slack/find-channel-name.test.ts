import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { findChannelName } from "#shared/slack/find-channel-name.ts";
import { SlackError } from "#shared/slack/slack-client.ts";

/** Stands for the workspace: its token, or the call, can fail. */
const open = vi.hoisted(() => vi.fn());
vi.mock("#shared/slack/workspace-client.ts", () => ({ openWorkspaceClient: open }));

beforeAll(() => {
  vi.stubEnv("LOG_LEVEL", "info");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const find = () => findChannelName({ tenantId: "t" }, "w", "C1");

it("findChannelName() returns the channel name in the response of Slack's API", async () => {
  open.mockResolvedValue({ call: async () => ({ ok: true, channel: { name: "alerts" } }) });
  expect(await find()).toBe("alerts");
});

it("findChannelName() returns null when the call or the renewal of the token fails", async () => {
  open.mockResolvedValue({ call: () => Promise.reject(new SlackError("missing_scope")) });
  expect(await find()).toBeNull();
  open.mockRejectedValue(new SlackError("malformed_response"));
  expect(await find()).toBeNull();
  open.mockResolvedValue(null);
  expect(await find()).toBeNull();
});
