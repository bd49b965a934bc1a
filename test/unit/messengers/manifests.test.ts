import { expect, it } from "vitest";
import { toSlackManifest } from "#shared/slack/manifest.ts";
import { toTeamsManifest } from "#shared/teams/manifest.ts";

it("manifests of messengers truncate names to the lengths that Slack and Teams allow, without half characters", () => {
  const name = `${"x".repeat(29)}🦉${"y".repeat(4)}🦉${"z".repeat(40)}`;
  expect(toSlackManifest(name, "https://example.com").features).toMatchObject({
    bot_user: { display_name: `${"x".repeat(29)}🦉${"y".repeat(4)}` },
  });
  expect(toTeamsManifest(name, "app", "https://example.com")).toMatchObject({
    name: { short: "x".repeat(29) },
    developer: { name: "x".repeat(29) },
  });
});
