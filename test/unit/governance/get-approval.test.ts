import { beforeEach, expect, it, vi } from "vitest";

const mocks = vi.hoisted(() => ({ findLinkSecret: vi.fn(), claimSecretOnce: vi.fn() }));
const link = { link_id: "l", hash: "h" };
const approval = { requested_by: "u", link, result: { status: "done", link_id: "l" } };
vi.mock("#shared/http/endpoint.ts", () => ({ endpoint: (_route: object, handle: unknown) => handle }));
vi.mock("#shared/conversations/sharing/verify-share-link.ts", () => ({ findLinkSecret: mocks.findLinkSecret }));
vi.mock("#shared/governance/approvals/approval-store.ts", () => ({
  authorizeApproval: async () => approval,
  claimSecretOnce: mocks.claimSecretOnce,
  withCurrentStatus: (value: object) => value,
}));

/** Requests the approval as its requester. */
async function getApproval(): Promise<unknown> {
  const { getApprovalHandler: handler } = await import("../../../functions/api/governance/approvals.ts");
  const rights = async () => ({ permissions: new Set() });
  const request = { principal: { tenantId: "t", userId: "u" }, params: { id: "a" }, rights };
  return (handler as unknown as (request: object) => Promise<unknown>)(request);
}

beforeEach(() => void vi.resetAllMocks());

it("getApproval handler leaves the token of a link to a later request when the app secret cannot be read", async () => {
  mocks.findLinkSecret.mockRejectedValue(new Error("secret not read"));
  await expect(getApproval()).rejects.toThrow("secret not read");
  expect(mocks.claimSecretOnce).not.toHaveBeenCalled();
});

it("getApproval handler returns the approval without a token when the secret of its link was removed", async () => {
  mocks.findLinkSecret.mockResolvedValue(undefined);
  expect(await getApproval()).toEqual(approval);
  expect(mocks.claimSecretOnce).not.toHaveBeenCalled();
});

it("getApproval handler returns the token of a link only once, to the first request of the requester", async () => {
  mocks.findLinkSecret.mockResolvedValue({ token: "secret", url: "/v1/shared/secret" });
  mocks.claimSecretOnce.mockResolvedValueOnce(true).mockResolvedValueOnce(false);
  expect(await getApproval()).toMatchObject({ result: { link_id: "l", token: "secret" } });
  expect(await getApproval()).toEqual(approval);
});
