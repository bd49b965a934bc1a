/** German translations by English text. */
export const german: Readonly<Record<string, string>> = {};
