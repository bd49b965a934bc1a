/** Attribute of a SCIM schema (RFC 7643, section 7). */
export interface ScimAttribute {
  readonly name: string;
  readonly type: "string" | "boolean" | "complex" | "reference";
  readonly description: string;
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: "readOnly" | "immutable";
  readonly uniqueness?: "server";
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
  readonly subAttributes?: readonly ScimAttribute[];
}

/** SCIM schema of a resource, with the name and path of its resource type. */
export interface ScimSchema {
  readonly id: string;
  readonly name: "User" | "Group";
  readonly endpoint: "/Users" | "/Groups";
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
}

const text = (name: string, description: string): ScimAttribute => ({ name, type: "string", description });

const reference = (type: "User" | "Group"): ScimAttribute => ({
  name: "$ref",
  type: "reference",
  description: "The address of the resource.",
  mutability: "readOnly",
  caseExact: true,
  referenceTypes: [type],
});

export const userSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  endpoint: "/Users",
  description: "User",
  attributes: [
    {
      ...text("userName", "The unique name of the user, compared without regard to case."),
      required: true,
      uniqueness: "server",
    },
    {
      name: "name",
      type: "complex",
      description: "The name of the user.",
      subAttributes: [
        text("formatted", "The whole name."),
        text("familyName", "The family name."),
        text("givenName", "The given name."),
      ],
    },
    text("displayName", "The name that other users see."),
    text("title", "The title, such as Vice President."),
    text("preferredLanguage", "The language of the user, such as de-CH."),
    { name: "active", type: "boolean", description: "False deactivates the user." },
    {
      name: "emails",
      type: "complex",
      description: "E-mail addresses. The primary one is shown.",
      multiValued: true,
      subAttributes: [
        text("value", "The address."),
        { ...text("type", "The kind of the address."), canonicalValues: ["work", "home", "other"] },
        text("display", "The address as it is shown."),
        { name: "primary", type: "boolean", description: "True for at most one address." },
      ],
    },
    {
      name: "groups",
      type: "complex",
      description: "The groups of the user.",
      multiValued: true,
      mutability: "readOnly",
      subAttributes: [
        { ...text("value", "The id of the group."), mutability: "readOnly" },
        reference("Group"),
        { ...text("display", "The name of the group."), mutability: "readOnly" },
        { ...text("type", "Always direct."), mutability: "readOnly" },
      ],
    },
  ],
};

export const groupSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  endpoint: "/Groups",
  description: "Group",
  attributes: [
    { ...text("displayName", "The unique name of the group."), required: true, uniqueness: "server" },
    {
      name: "members",
      type: "complex",
      description: "Users of the group, at most 1,000.",
      multiValued: true,
      subAttributes: [
        { ...text("value", "The id of the user."), mutability: "immutable", caseExact: true },
        reference("User"),
        { ...text("type", "Always User."), mutability: "immutable", canonicalValues: ["User"] },
      ],
    },
  ],
};

/** Attributes that every resource has although its schema does not list them (RFC 7643, section 3.1). */
const commonAttributes: readonly ScimAttribute[] = [
  { ...text("id", "The id."), mutability: "readOnly", caseExact: true },
  { ...text("externalId", "The id at the identity provider."), caseExact: true },
  { name: "schemas", type: "string", multiValued: true, mutability: "readOnly", description: "The schemas." },
  {
    name: "meta",
    type: "complex",
    mutability: "readOnly",
    description: "Dates, address and version.",
    subAttributes: ["resourceType", "created", "lastModified", "location", "version"].map((name) => ({
      ...text(name, ""),
      caseExact: true,
    })),
  },
];

/** Finds an attribute by name, ignoring case (RFC 7643, section 2.1). */
export function findAttribute(attributes: readonly ScimAttribute[], name: string): ScimAttribute | undefined {
  const wanted = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === wanted);
}

/** Returns the common attributes and those of a schema. */
export const attributesOf = (schema: ScimSchema): readonly ScimAttribute[] => [
  ...commonAttributes,
  ...schema.attributes,
];
