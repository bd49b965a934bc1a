import { describe, expect, it } from "vitest";
import { clampOccurrence, decodePostings, encodePostings, toRank } from "#shared/knowledge/index/postings.ts";
import { type MediaType, splitIntoPassages } from "#shared/knowledge/indexing/split-into-passages.ts";
import { compareVectors } from "#shared/knowledge/search/compare-vectors.ts";
import { extractSnippet } from "#shared/knowledge/search/extract-snippet.ts";
import { createFusion, fuseRankings } from "#shared/knowledge/search/fuse-rankings.ts";
import { toInt8 } from "#shared/knowledge/vectors/quantize.ts";
import { detectLanguage, type Language } from "#shared/lib/language/languages.ts";
import { extractTerms } from "#shared/lib/language/terms.ts";
import { sized } from "#test/support/run-size.ts";

/** Length of the texts that show that splitting takes limited time: 1 MiB, or an eighth of it in usual runs. */
const LENGTH = sized({ usual: 1 << 17, full: 1 << 20 });

it.each([
  ["", []],
  ["The cells' walls don't generalise.", ["cell", "wall", "generalis"]],
  ["connect connected connection connections", ["connect", "connect", "connect", "connect"]],
  ["O'Brien's IL-6", ["obrien", "il", "6"]],
  ["CAFÉ café cafe\u0301 ﬁne", ["cafe", "cafe", "cafe", "fine"]],
  ["GPT模型", ["gpt", "模型"]],
  ["東京タワー", ["東京", "京タ", "タワ", "ワー"]],
  ["字", ["字"]],
  ["한국어", ["한국", "국어"]],
  ["สวัสดีครับ", ["สวัสดี", "ครับ"]],
  ["שָׁלוֹם مُحَمَّد", ["שלום", "محمد"]],
  ["Привет, Ёлка", ["привет", "елк"]],
  ["नमस्ते", ["नमस्ते"]],
  ["👍🏽 ok", ["👍", "ok"]],
  ["x".repeat(500), ["x".repeat(64)]],
])("extractTerms(), which returns the search terms of a text, returns the terms of the text %j", (text, terms) => {
  expect(extractTerms(text)).toEqual(terms);
});

it.each([
  ["en", "The report is about the harbour and its boats."],
  ["de", "Die Rechnungen für den Hafen liegen in der Ablage."],
  ["fr", "Les factures du port sont dans le dossier de la direction."],
  ["es", "Las facturas del puerto están en la carpeta de la dirección."],
  ["it", "Le fatture del porto sono nella cartella della direzione."],
  ["pt", "As faturas do porto estão na pasta da direção."],
  ["nl", "De facturen van de haven liggen in de map van het bestuur."],
  ["sv", "Fakturorna för hamnen ligger i mappen och de är inte betalda."],
  ["vi", "Hóa đơn của công ty được lưu trong thư mục này."],
  ["en", "Rechnungen 2024"],
  ["en", "per month?"],
  ["en", "Per seat?"],
  ["en", "come again"],
  ["de", "Wo ist das?"],
  ["de", "Was kostet das?"],
  ["it", "Che cosa è questo?"],
  ["tr", "Sınır kapısı"],
  ["vi", "Bảng giá nước sạch"],
  ["hu", "Vízszerelő, Győr"],
  ["en", "12 345 — …"],
  ["en", ""],
])("detectLanguage() returns the language %s for %j", (language, text) => {
  expect(detectLanguage(text)).toBe(language);
});

it("detectLanguage() returns the most frequent known language for a text that does not tell its own", () => {
  const known = { en: 3, tr: 40, de: 5 };
  expect(detectLanguage("Fatura 2024", known)).toBe("tr");
  expect(detectLanguage("", known)).toBe("tr");
  expect(detectLanguage("The report is about the harbour and its boats.", known)).toBe("en");
});

it.each<[Language, string, string[]]>([
  ["de", "Die Rechnung, Rechnungen, GROẞE Straßen, große Strasse", ["de:rechnung", "de:gross", "de:strass"]],
  ["fr", "l'entreprise, les entreprises, d’entreprise", ["fr:entrepris"]],
  ["es", "facturación, facturacion, facturaciones", ["es:factur"]],
  ["pt", "Configuração, configuracao, configurações", ["pt:configur"]],
  ["it", "dell'azienda, l'azienda, aziende", ["it:azi"]],
  ["en", "книга, книги, книгу", ["книг"]],
  ["vi", "mã má ma MÃ", ["vi:mã", "vi:ma", "vi:má"]],
  ["vi", "đường phố của Hà Nội", ["vi:đường", "vi:duong", "vi:phố", "vi:pho", "vi:hà", "vi:ha", "vi:nội", "vi:noi"]],
  ["tr", "kız, kiz, Kızı", ["tr:kız", "tr:kiz"]],
  ["tr", "SINIR, sınır", ["tr:sınır", "tr:sinir"]],
  ["tr", "KIL, kıl", ["tr:kıl", "tr:kil"]],
  ["de", "Version 2024 von 東京", ["de:version", "2024", "東京"]],
])(
  "extractTerms() in languages other than English reduces words to their stems in the language %s: %s",
  (language, text, terms) => {
    expect([...new Set(extractTerms(text, language))]).toEqual(terms);
  },
);

describe("splitIntoPassages()", () => {
  const sentences = Array.from({ length: 200 }, (_, index) => `This is sentence number ${index} of the text.`);

  it("splitIntoPassages() splits a long text between sentences, with an overlap and without loss", () => {
    const text = sentences.join(" ");
    const passages = splitIntoPassages(text, "text/plain");
    expect(passages.length).toBeGreaterThan(3);
    for (const { text: part } of passages) {
      expect(text).toContain(part);
      expect(part.length).toBeLessThanOrEqual(2_000);
      expect(part).toMatch(/^This is.*text\.$/);
    }
    for (const sentence of sentences) expect(passages.some(({ text: part }) => part.includes(sentence))).toBe(true);
    const overlaps = passages.slice(1).map(({ text: part }, index) => {
      const first = part.slice(0, part.indexOf(".") + 1);
      return passages[index]?.text.includes(first);
    });
    expect(overlaps.every(Boolean)).toBe(true);
  });

  it("splitIntoPassages() starts a passage at each heading and keeps the path of headings above it", () => {
    const section = (title: string) => `${title}\n\n${sentences.slice(0, 30).join(" ")}`;
    const text = [section("# Guide"), section("## Setup"), section("### Linux"), section("## Use")].join("\n\n");
    const headings = splitIntoPassages(text, "text/markdown").map((passage) => passage.headings);
    expect(headings).toEqual(["Guide", "Guide › Setup", "Guide › Setup › Linux", "Guide › Use"]);
  });

  it("splitIntoPassages() merges small sections and does not split code blocks", () => {
    const code = `\`\`\`ts\n${"const a = 1;\n".repeat(300)}\`\`\``;
    const passages = splitIntoPassages(`# A\n\nOne.\n\n# B\n\nTwo.\n\n${code}\n\nThree.`, "text/markdown");
    expect(passages.map(({ text }) => text)).toEqual(["# A\n\nOne.\n\n# B\n\nTwo.", code, "Three."]);
  });

  it("splitIntoPassages() strips Markdown syntax from headings", () => {
    const [{ headings } = { headings: "" }] = splitIntoPassages(
      "# The `read_all` *and* [more](https://a.example)",
      "text/markdown",
    );
    expect(headings).toBe("The read_all and more");
  });

  it("splitIntoPassages() extracts the visible text of HTML", () => {
    const html = `<!doctype html><title>t</title><script>bad()</script><h1>One &amp; two</h1>
      <p>Hello <b>wor</b>ld<br>again</p><p hidden>no</p><p style="visibility: hidden">no</p>
      <ul><li>a</li><li>b</li></ul><pre>x\n  y</pre><table><tr><th>1</th><td>2</td></tr></table>&#x1F600;`;
    expect(splitIntoPassages(html, "text/html")).toEqual([
      { text: "One & two\n\nHello world\nagain\n\n- a\n\n- b\n\nx\n  y\n\n1 | 2\n\n😀", headings: "One & two" },
    ]);
  });

  it.each<[string, string, MediaType]>([
    ["one repeated word", "word ".repeat(LENGTH / 5), "text/plain"],
    ["one long word", "a".repeat(LENGTH), "text/plain"],
    ["emoji", "👍🏽".repeat(LENGTH / 8), "text/plain"],
    ["line breaks", "\n".repeat(LENGTH), "text/plain"],
    ["full stops", ".".repeat(LENGTH), "text/plain"],
    ["space between two words", `a${" ".repeat(LENGTH)}a`, "text/plain"],
    ["very short sentences", ". ".repeat(LENGTH / 2), "text/plain"],
    ["nested quotes", ">".repeat(LENGTH / 8), "text/markdown"],
    ["brackets", "![](".repeat(LENGTH / 16), "text/markdown"],
    ["list items", "- a\n".repeat(LENGTH / 32), "text/markdown"],
    ["headings", "# a\n\n".repeat(LENGTH / 16), "text/markdown"],
    ["setext headings", "a\n=\n".repeat(LENGTH / 16), "text/markdown"],
    ["links in headings", "# [a](".repeat(LENGTH / 6), "text/markdown"],
    [
      "nested lists",
      Array.from({ length: 1_400 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n"),
      "text/markdown",
    ],
    ["a table of a million cells", `|a|b|\n|-|-|\n${"|".repeat(LENGTH - 100)}`, "text/markdown"],
    ["a long table", `|a|b|\n|-|-|\n${"|1|2|\n".repeat(LENGTH / 6 - 10)}`, "text/markdown"],
    ["link definitions", "[a]: b\n".repeat(LENGTH / 7), "text/markdown"],
    ["an unclosed code fence", `\`\`\`\n${"code\n".repeat(LENGTH / 8)}`, "text/markdown"],
    ["a row of many cells", `<table><tr>${"<td>a".repeat(LENGTH / 5)}`, "text/html"],
    ["nested elements", "<div>".repeat(LENGTH / 5), "text/html"],
    ["broken HTML", '<a href="'.repeat(LENGTH / 16), "text/html"],
  ])(
    "splitIntoPassages() splits a long text with %s into well-formed passages of limited length",
    (_, text, mediaType) => {
      for (const passage of splitIntoPassages(text, mediaType)) {
        expect(passage.text.length).toBeLessThanOrEqual(6_100);
        expect(passage.text.isWellFormed()).toBe(true);
      }
    },
  );
});

describe("extractSnippet(), which shortens a passage for a search result", () => {
  const filler = "Nothing to see in this sentence at all. ".repeat(40);
  const weights = new Map([
    ["quokka", 6],
    ["smile", 5],
  ]);

  it("extractSnippet(), which shortens a passage for a search result, returns the part of the text that contains the query's terms, verbatim", () => {
    const text = `${filler}A quokka is an animal. It always smiles at people. ${filler}`;
    const snippet = extractSnippet(text, weights);
    expect(text).toContain(snippet);
    expect(snippet).toContain("quokka is an animal. It always smiles");
    expect(snippet.length).toBeLessThanOrEqual(320);
  });

  it.each([
    ["short", "A quokka."],
    ["without any query term", filler],
    ["without spaces", `${"東京".repeat(400)}quokka${"東京".repeat(400)}`],
    ["all emoji", "😀".repeat(600)],
  ])(
    "extractSnippet(), which shortens a passage for a search result, returns a substring of limited length of a text that is %s",
    (_, text) => {
      const snippet = extractSnippet(text, weights);
      expect(text).toContain(snippet);
      expect(snippet.length).toBeGreaterThan(0);
      expect(snippet.length).toBeLessThanOrEqual(320);
      expect(snippet.isWellFormed()).toBe(true);
      expect(snippet.includes("quokka")).toBe(text.includes("quokka"));
    },
  );
});

describe("stored occurrence of a word in a passage", () => {
  const posting = { passage: 70_000, inText: 3, inTitle: 1, length: 212, collectionTag: 40_000 };

  it("stored occurrence of a word in a passage is the same after encoding and decoding, with counts limited to their maximum", () => {
    const huge = { ...posting, ...clampOccurrence({ inText: 9_999, inTitle: 300, length: 99_999 }) };
    expect(decodePostings(encodePostings([posting, huge]))).toEqual([
      posting,
      { ...posting, inText: 255, inTitle: 255, length: 65_535 },
    ]);
  });

  it("rank of a stored occurrence of a word sorts by its influence on the score, and then by passage", () => {
    const ranks = [{ inText: 9 }, { inTitle: 0, inText: 9 }, { length: 999 }, { passage: 70_001, length: 999 }].map(
      (change) => toRank({ ...posting, ...change }),
    );
    expect(ranks).toEqual(ranks.toSorted());
    expect(new Set(ranks.map((rank) => rank.length))).toEqual(new Set([10]));
  });
});

describe("fuseRankings(), which combines rankings by words and by vectors", () => {
  const ranking = (scores: Record<string, number>) =>
    Object.entries(scores).map(([key, score], index) => ({ key, audience: "tenant" as const, passage: index, score }));
  const fuse = (passages: ReturnType<typeof ranking>, byMeaning: ReturnType<typeof ranking>, maxScore = 20) =>
    fuseRankings(passages, byMeaning, createFusion({ passages, maxScore }, byMeaning));
  const toKeys = (passages: readonly { key: string }[]) => passages.map(({ key }) => key);

  it("fuseRankings(), which combines rankings by words and by vectors, keeps the scores by words when there is no ranking by vectors", () => {
    expect(fuse(ranking({ a: 10, b: 9 }), [])).toMatchObject([
      { key: "a", score: 10, scores: [10, undefined] },
      { key: "b", score: 9, scores: [9, undefined] },
    ]);
  });

  it("fuseRankings(), which combines rankings by words and by vectors, scores a ranking by vectors alone on the scale of the exact comparison", () => {
    const byMeaning = ranking(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`p${n}`, 0.8 - n / 400])));
    const fusion = createFusion({ passages: [], maxScore: 0 }, byMeaning);
    const vector = (value: number) => toInt8(Float32Array.from([value, Math.sqrt(1 - value ** 2)]));
    const compared = fuseRankings([], byMeaning, fusion)
      .slice(0, 32)
      .map(({ passage }) => ({
        audience: "tenant" as const,
        passage,
        vector: vector(0.8 - passage / 400),
        space: "s",
      }));
    const ranked = compareVectors(
      fuseRankings([], byMeaning, fusion),
      compared as never,
      Float32Array.from([1, 0]),
      "s",
      fusion,
    );
    expect(toKeys(ranked).slice(0, 3)).toEqual(["p0", "p1", "p2"]);
  });

  it("fuseRankings(), which combines rankings by words and by vectors, ranks a passage higher when it is in both rankings", () => {
    const fused = fuse(ranking({ a: 10, b: 9, c: 8 }), ranking({ b: 0.6, d: 0.5, e: 0.1 }));
    expect(toKeys(fused)).toEqual(["b", "a", "c", "d", "e"]);
  });

  it("fuseRankings(), which combines rankings by words and by vectors, ranks a very good match by words above passages that are average in both rankings", () => {
    const byWords = ranking({ exact: 20, x: 6, y: 5 });
    const byMeaning = ranking({ x: 0.52, y: 0.51, z: 0.5, exact: 0.49 });
    expect(toKeys(fuse(byWords, byMeaning))[0]).toBe("exact");
  });

  it("fuseRankings(), which combines rankings by words and by vectors, ranks a very good match by vectors above weak matches by words", () => {
    const byWords = ranking({ x: 3, y: 2.9, same: 1 });
    const byMeaning = ranking({ same: 0.6, x: 0.4, y: 0.4, z: 0.4 });
    expect(toKeys(fuse(byWords, byMeaning))[0]).toBe("same");
    expect(toKeys(fuse(byWords, byMeaning, 6))[0]).toBe("x");
  });

  it("fuseRankings(), which combines rankings by words and by vectors, returns the same order when a model's similarities are all closer to 1", () => {
    const byWords = ranking({ a: 10, b: 7, c: 4 });
    const similarities = { b: 0.7, c: 0.3, a: 0.2, d: 0.1 };
    const shifted = Object.entries(similarities).map(([key, value]) => [key, 0.8 + value / 5] as const);
    expect(toKeys(fuse(byWords, ranking(Object.fromEntries(shifted))))).toEqual(
      toKeys(fuse(byWords, ranking(similarities))),
    );
  });
});
