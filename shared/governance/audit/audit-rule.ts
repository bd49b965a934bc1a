/** Image of an item before or after a change. */
export type ItemImage = Readonly<Record<string, unknown>>;

/** Kind of change that an audit rule can be restricted to. */
export type ChangeKind = "created" | "updated" | "deleted";

export interface AuditRule {
  /** Resource type in actions, such as `grant` in `grant.created`. */
  readonly kind: string;
  /** Target of the event if it is not the item itself: its type, and the attribute that contains its id. */
  readonly target?: readonly [type: string, idAttribute: string];
  /** Attribute that contains the id of the resource that the item belongs to; recorded in the details. */
  readonly parent?: string;
  /** Attribute that contains the item's id. */
  readonly id: string;
  /** Attributes whose values are recorded. */
  readonly values?: readonly string[];
  /** Attributes whose changes are recorded without their values, because these are texts that users wrote. */
  readonly redacted?: readonly string[];
  /** Changes to record; all by default. */
  readonly only?: readonly ChangeKind[];
  /** Returns true for an update that follows from an item which records its author and time itself. */
  isActivity?(before: ItemImage, after: ItemImage): boolean;
  /** Returns a more specific verb than `created` or `updated`. */
  verb?(before: ItemImage | undefined, after: ItemImage): string | undefined;
}
