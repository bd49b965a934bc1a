/** Attributes of an item before or after a change. */
export type ItemImage = Readonly<Record<string, unknown>>;

/** Kind of change that an audit rule can be restricted to. */
export type ChangeKind = "created" | "updated" | "deleted";

export interface AuditRule {
  /** Resource type in actions, such as `grant` in `grant.created`. */
  readonly kind: string;
  /** Target of the event, if it is another resource than the item: its type, and the attribute with its id. */
  readonly target?: readonly [type: string, idAttribute: string];
  /** Attribute with the id of the parent resource, which is recorded in the details. */
  readonly parent?: string;
  /** Attribute with the item's id. */
  readonly id: string;
  /** Attributes whose values are recorded. */
  readonly values?: readonly string[];
  /**
   * Attributes of which only the change is recorded and not the value, because they contain users' texts or secrets.
   */
  readonly redacted?: readonly string[];
  /** Changes to record; all by default. */
  readonly only?: readonly ChangeKind[];
  /**
   * Returns true for an update that is not recorded, because another item, such as a message, already records who
   * caused it and when.
   */
  isActivity?(before: ItemImage, after: ItemImage): boolean;
  /** Returns a verb to use instead of `created` or `updated`; undefined to use the default. */
  verb?(before: ItemImage | undefined, after: ItemImage): string | undefined;
}
