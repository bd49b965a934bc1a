import { describe, expect, it } from "vitest";
import { type Language, languageOf } from "#shared/knowledge/index/languages.ts";
import { boundedOccurrence, pack, rankOf, unpack } from "#shared/knowledge/index/postings.ts";
import { termsOf } from "#shared/knowledge/index/terms.ts";
import { type MediaType, passagesOf } from "#shared/knowledge/indexing/passages.ts";
import { fuse } from "#shared/knowledge/search/rank-fusion.ts";
import { snippetOf } from "#shared/knowledge/search/snippet.ts";

const mebibyte = 1 << 20;

describe("termsOf", () => {
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
  ])("%j", (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });
});

describe("languageOf", () => {
  it.each([
    ["en", "The report is about the harbour and its boats."],
    ["de", "Die Rechnungen für den Hafen liegen in der Ablage."],
    ["fr", "Les factures du port sont dans le dossier de la direction."],
    ["es", "Las facturas del puerto están en la carpeta de la dirección."],
    ["it", "Le fatture del porto sono nella cartella della direzione."],
    ["pt", "As faturas do porto estão na pasta da direção."],
    ["nl", "De facturen van de haven liggen in de map van het bestuur."],
    ["sv", "Fakturorna för hamnen ligger i mappen och de är inte betalda."],
    ["en", "Rechnungen 2024"],
    ["en", "12 345 — …"],
    ["en", ""],
  ])("is %s for %j", (language, text) => {
    expect(languageOf(text)).toBe(language);
  });
});

describe("termsOf in other languages", () => {
  it.each<[Language, string, string[]]>([
    ["de", "Die Rechnung, Rechnungen, GROẞE Straßen, große Strasse", ["de:rechnung", "de:gross", "de:strass"]],
    ["fr", "l'entreprise, les entreprises, d’entreprise", ["fr:entrepris"]],
    ["es", "facturación, facturacion, facturaciones", ["es:factur"]],
    ["pt", "Configuração, configuracao, configurações", ["pt:configur"]],
    ["it", "dell'azienda, l'azienda, aziende", ["it:azi"]],
    ["en", "книга, книги, книгу", ["книг"]],
    ["de", "Version 2024 von 東京", ["de:version", "2024", "東京"]],
  ])("%s: %s", (language, text, terms) => {
    expect([...new Set(termsOf(text, language))]).toEqual(terms);
  });
});

describe("passagesOf", () => {
  const sentences = Array.from({ length: 200 }, (_, index) => `This is sentence number ${index} of the text.`);

  it("cuts long text at sentences, with an overlap, and loses nothing", () => {
    const text = sentences.join(" ");
    const passages = passagesOf(text, "text/plain");
    expect(passages.length).toBeGreaterThan(3);
    for (const { text: part } of passages) {
      expect(text).toContain(part);
      expect(part.length).toBeLessThanOrEqual(2_000);
      expect(part).toMatch(/^This is.*text\.$/);
    }
    for (const sentence of sentences) expect(passages.some(({ text: part }) => part.includes(sentence))).toBe(true);
    const shared = passages.slice(1).map(({ text: part }, index) => {
      const first = part.slice(0, part.indexOf(".") + 1);
      return passages[index]?.text.includes(first);
    });
    expect(shared.every(Boolean)).toBe(true);
  });

  it("begins passages at headings and knows what they stand under", () => {
    const section = (title: string) => `${title}\n\n${sentences.slice(0, 30).join(" ")}`;
    const text = [section("# Guide"), section("## Setup"), section("### Linux"), section("## Use")].join("\n\n");
    const headings = passagesOf(text, "text/markdown").map((passage) => passage.headings);
    expect(headings).toEqual(["Guide", "Guide › Setup", "Guide › Setup › Linux", "Guide › Use"]);
  });

  it("keeps small sections together and code whole", () => {
    const code = `\`\`\`ts\n${"const a = 1;\n".repeat(300)}\`\`\``;
    const passages = passagesOf(`# A\n\nOne.\n\n# B\n\nTwo.\n\n${code}\n\nThree.`, "text/markdown");
    expect(passages.map(({ text }) => text)).toEqual(["# A\n\nOne.\n\n# B\n\nTwo.", code, "Three."]);
  });

  it("names sections as a reader would see them", () => {
    const [{ headings } = { headings: "" }] = passagesOf(
      "# The `read_all` *and* [more](https://a.example)",
      "text/markdown",
    );
    expect(headings).toBe("The read_all and more");
  });

  it("reads HTML as a person would", () => {
    const html = `<!doctype html><title>t</title><script>bad()</script><h1>One &amp; two</h1>
      <p>Hello <b>wor</b>ld<br>again</p><p hidden>no</p><p style="visibility: hidden">no</p>
      <ul><li>a</li><li>b</li></ul><pre>x\n  y</pre><table><tr><th>1</th><td>2</td></tr></table>&#x1F600;`;
    expect(passagesOf(html, "text/html")).toEqual([
      { text: "One & two\n\nHello world\nagain\n\n- a\n\n- b\n\nx\n  y\n\n1 | 2\n\n😀", headings: "One & two" },
    ]);
  });

  it.each<[string, string, MediaType]>([
    ["one word again and again", "word ".repeat(mebibyte / 5), "text/plain"],
    ["one word", "a".repeat(mebibyte), "text/plain"],
    ["emoji", "👍🏽".repeat(mebibyte / 8), "text/plain"],
    ["line breaks", "\n".repeat(mebibyte), "text/plain"],
    ["full stops", ".".repeat(mebibyte), "text/plain"],
    ["space between two words", `a${" ".repeat(mebibyte)}a`, "text/plain"],
    ["very short sentences", ". ".repeat(mebibyte / 2), "text/plain"],
    ["quotations in quotations", ">".repeat(mebibyte / 8), "text/markdown"],
    ["brackets", "![](".repeat(mebibyte / 16), "text/markdown"],
    ["list items", "- a\n".repeat(mebibyte / 32), "text/markdown"],
    ["headings", "# a\n\n".repeat(mebibyte / 16), "text/markdown"],
    ["underlined headings", "a\n=\n".repeat(mebibyte / 16), "text/markdown"],
    ["links in headings", "# [a](".repeat(mebibyte / 6), "text/markdown"],
    [
      "lists in lists",
      Array.from({ length: 1_400 }, (_, depth) => `${" ".repeat(depth)}- a`).join("\n"),
      "text/markdown",
    ],
    ["a table of a million cells", `|a|b|\n|-|-|\n${"|".repeat(mebibyte - 100)}`, "text/markdown"],
    ["a long table", `|a|b|\n|-|-|\n${"|1|2|\n".repeat(mebibyte / 6 - 10)}`, "text/markdown"],
    ["definitions", "[a]: b\n".repeat(mebibyte / 7), "text/markdown"],
    ["an open fence", `\`\`\`\n${"code\n".repeat(mebibyte / 8)}`, "text/markdown"],
    ["a row of many cells", `<table><tr>${"<td>a".repeat(mebibyte / 5)}`, "text/html"],
    ["elements in elements", "<div>".repeat(mebibyte / 5), "text/html"],
    ["broken HTML", '<a href="'.repeat(mebibyte / 16), "text/html"],
  ])("takes %s without harm", (_, text, mediaType) => {
    for (const passage of passagesOf(text, mediaType)) {
      expect(passage.text.length).toBeLessThanOrEqual(6_100);
      expect(passage.text.isWellFormed()).toBe(true);
    }
  });
});

describe("snippetOf", () => {
  const filler = "Nothing to see in this sentence at all. ".repeat(40);
  const weights = new Map([
    ["quokka", 6],
    ["smile", 5],
  ]);

  it("is the part with the words that were looked for, word for word", () => {
    const text = `${filler}A quokka is an animal. It always smiles at people. ${filler}`;
    const snippet = snippetOf(text, weights);
    expect(text).toContain(snippet);
    expect(snippet).toContain("quokka is an animal. It always smiles");
    expect(snippet.length).toBeLessThanOrEqual(320);
  });

  it.each([
    ["short", "A quokka."],
    ["without any of the words", filler],
    ["without spaces", `${"東京".repeat(400)}quokka${"東京".repeat(400)}`],
    ["of emoji", "😀".repeat(600)],
  ])("of a text %s stands in it", (_, text) => {
    const snippet = snippetOf(text, weights);
    expect(text).toContain(snippet);
    expect(snippet.length).toBeGreaterThan(0);
    expect(snippet.length).toBeLessThanOrEqual(320);
    expect(snippet.isWellFormed()).toBe(true);
    expect(snippet.includes("quokka")).toBe(text.includes("quokka"));
  });
});

describe("postings", () => {
  const posting = { passage: 70_000, inText: 3, inTitle: 1, length: 212, collectionTag: 40_000 };

  it("survive packing, within their bounds", () => {
    const huge = { ...posting, ...boundedOccurrence({ inText: 9_999, inTitle: 300, length: 99_999 }) };
    expect(unpack(pack([posting, huge]))).toEqual([posting, { ...posting, inText: 255, inTitle: 255, length: 65_535 }]);
  });

  it("are sorted by their impact first", () => {
    const ranks = [{ inText: 9 }, { inTitle: 0, inText: 9 }, { length: 999 }, { passage: 70_001, length: 999 }].map(
      (change) => rankOf({ ...posting, ...change }),
    );
    expect(ranks).toEqual(ranks.toSorted());
    expect(new Set(ranks.map((rank) => rank.length))).toEqual(new Set([10]));
  });
});

describe("fuse", () => {
  const ranking = (...keys: string[]) => keys.map((key, index) => ({ key, score: 10 - index }));

  it("leaves a single ranking alone", () => {
    expect(fuse([ranking("a", "b")])).toEqual(ranking("a", "b"));
  });

  it("puts first what several rankings agree on", () => {
    expect(fuse([ranking("a", "b", "c"), ranking("b", "d")]).map(({ key }) => key)).toEqual(["b", "a", "d", "c"]);
  });
});
