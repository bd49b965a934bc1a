/** Type of a source of which a reader sees nothing but that it exists. */
export const HIDDEN_SOURCE_TYPE = "hidden";

/** Title of such a source, for clients that show titles. */
export const HIDDEN_SOURCE_TITLE = "A source that you may not read, or that was deleted";
