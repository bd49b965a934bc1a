/** Primary keys of policies, approvals, exports and deletions of data; part of `keys`. */
export const governanceKeys = {
  policy: (tenant: string) => ({ pk: `${tenant}#policy`, sk: "policy" }),

  approval: (tenant: string, approval: string) => ({ pk: `${tenant}#approvals`, sk: approval }),
  /** Reference to an approval in the partition of the user who requested it. */
  ownApproval: (tenant: string, user: string, approval: string) => ({
    pk: `${tenant}#user#${user}#approvals`,
    sk: approval,
  }),

  export: (tenant: string, user: string, id: string) => ({ pk: `${tenant}#user#${user}#exports`, sk: id }),
  /** Reference to the archive that is being built for a user. */
  pendingExport: (tenant: string, user: string) => ({
    pk: `${tenant}#user#${user}#pending-export`,
    sk: "pending-export",
  }),
  /** Segment of an export's text. */
  exportSegment: (tenant: string, id: string, index: number) => ({
    pk: `${tenant}#export#${id}`,
    sk: String(index).padStart(6, "0"),
  }),

  deletion: (tenant: string, deletion: string) => ({ pk: `${tenant}#deletions`, sk: deletion }),
};
