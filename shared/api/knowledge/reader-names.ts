/** Reader that stands for all users of the tenant, and for its widget visitors and API keys where they search. */
export const ALL_READERS = "tenant";

/** Prefixes of readers, followed by the id of a group or person. */
export const GROUP_READER = "group:";
export const PERSON_READER = "user:";
