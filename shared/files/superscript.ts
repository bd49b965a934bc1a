const superscripts: Readonly<Record<string, string>> = {
  ...{ "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹" },
  ...{ "+": "⁺", "-": "⁻", "−": "⁻", n: "ⁿ" },
};

/**
 * Returns raised text as characters of Unicode if it is a number, so that 10³ does not become 103. Other text, as of *1st*, stays
 * readable without being raised.
 */
export const toSuperscript = (text: string): string =>
  /^[\d+\-−n]+$/.test(text) ? [...text].map((character) => superscripts[character] ?? character).join("") : text;
