/** Request headers by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;
