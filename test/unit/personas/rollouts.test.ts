import { describe, expect, it } from "vitest";
import { newId } from "#shared/lib/ids.ts";
import { addRollout, findVersionFor } from "#shared/personas/rollouts.ts";

const CONVERSATIONS = 2_000;

const conversations = Array.from({ length: CONVERSATIONS }, () => newId());
const noGroups: ReadonlySet<string> = new Set();

/** Returns the conversations that get version 2 with this share. */
const shareOf = (percent: number, personaId = "persona-1", version = 2) =>
  conversations.filter((conversationId) => {
    const rollouts = [{ version, group_ids: [], percent }];
    return findVersionFor({ id: personaId, version: 1, rollouts }, { conversationId, groupIds: noGroups }) === version;
  });

describe("findVersionFor()", () => {
  it.each([1, 10, 37, 50, 90, 99])(
    `findVersionFor() gives %s percent of ${CONVERSATIONS} conversations the version of a share, within four standard deviations`,
    (percent) => {
      const share = percent / 100;
      const deviation = Math.sqrt(CONVERSATIONS * share * (1 - share));
      expect(Math.abs(shareOf(percent).length - CONVERSATIONS * share)).toBeLessThan(4 * deviation);
    },
  );

  it("findVersionFor() keeps the version of each conversation, also when its share is raised", () => {
    const small = shareOf(10);
    expect(shareOf(10)).toEqual(small);
    const large = new Set(shareOf(30));
    expect(small.filter((id) => !large.has(id))).toEqual([]);
    expect(large.size).toBeGreaterThan(small.length);
  });

  it("findVersionFor() chooses independently for each version and persona", () => {
    const half = new Set(shareOf(50));
    for (const other of [shareOf(50, "persona-1", 3), shareOf(50, "persona-2")]) {
      const both = other.filter((id) => half.has(id)).length;
      expect(Math.abs(both - CONVERSATIONS / 4)).toBeLessThan(4 * Math.sqrt(CONVERSATIONS * 0.25 * 0.75));
    }
  });

  it("findVersionFor() prefers the version of a group to a share, and gives others the one of everybody", () => {
    const persona = {
      id: "p",
      version: 1,
      rollouts: [
        { version: 2, group_ids: ["sales", "support"], percent: null },
        { version: 3, group_ids: [], percent: 99 },
        { version: 1, group_ids: ["legal"], percent: null },
      ],
    };
    const versionsOf = (...groups: string[]) =>
      new Set(
        conversations.map((conversationId) => findVersionFor(persona, { conversationId, groupIds: new Set(groups) })),
      );
    expect(versionsOf("support")).toEqual(new Set([2]));
    expect(versionsOf("legal")).toEqual(new Set([1]));
    expect(versionsOf("other")).toEqual(new Set([1, 3]));
  });
});

describe("addRollout()", () => {
  const first = { version: 2, group_ids: ["a", "b"], percent: 20 };

  it("addRollout() replaces an earlier publication of the version", () => {
    const added = { version: 2, group_ids: ["c"], percent: null };
    expect(addRollout([first], added)).toEqual([added]);
  });

  it("addRollout() takes groups and the share from other versions, and ends publications without any", () => {
    const added = { version: 3, group_ids: ["a"], percent: 10 };
    expect(addRollout([first], added)).toEqual([{ version: 2, group_ids: ["b"], percent: null }, added]);
    const all = { version: 3, group_ids: ["a", "b"], percent: 10 };
    expect(addRollout([first], all)).toEqual([all]);
  });

  it("addRollout() leaves the share of another version if only groups get the new one", () => {
    const added = { version: 3, group_ids: ["b"], percent: null };
    expect(addRollout([first], added)).toEqual([{ version: 2, group_ids: ["a"], percent: 20 }, added]);
  });
});
