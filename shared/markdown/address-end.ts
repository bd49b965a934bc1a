/** Punctuation of Chinese, Japanese and Korean, which follows an address without a space and is no part of it. */
const punctuation =
  /[\u2014\u2018-\u201d\u2026\u3000-\u3004\u3008-\u3020\u3030\uff01-\uff0f\uff1a-\uff20\uff3b-\uff3d\uff5b-\uff65]/;

/** Returns an address without what follows it in a text without spaces. */
export const untilPunctuation = (address: string): string => address.split(punctuation, 1)[0] ?? address;

/** Returns true if the parser of bare addresses would take the end of an emphasis for a part of an address. */
export const hidesEmphasis = (source: string): boolean =>
  (source.match(/(?:https?:\/\/|www\.)[^\s<]+/gi) ?? []).some((address) =>
    /[*_~]/.test(address.slice(untilPunctuation(address).length)),
  );
