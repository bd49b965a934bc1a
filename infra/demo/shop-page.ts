interface ShopPage {
  readonly baseUrl: string;
  readonly embedKey: string;
  readonly language: string;
}

const languages = { en: "English", de: "Deutsch", es: "Español", ja: "日本語" };

const coffees = [
  ["Fjord Blend", "Blueberry and cocoa, for every day", "12 €", "blend"],
  ["Winter Light", "A light roast from Kenya, for filter", "14 €", "light"],
  ["Deep Water", "A dark roast, for espresso", "13 €", "dark"],
] as const;

/** Renders the shop's only page. The script tag in the head is all that the chat needs. */
export function shopPage({ baseUrl, embedKey, language }: ShopPage): string {
  const lang = language in languages ? language : "en";
  const choices = Object.entries(languages).map(
    ([code, name]) => `<a href="/?lang=${code}"${code === lang ? ' aria-current="true"' : ""}>${name}</a>`,
  );
  const cards = coffees.map(
    ([name, description, price, roast]) =>
      `<li><div class="bag ${roast}" aria-hidden="true"></div><h2>${name}</h2><p>${description}</p><strong>${price}</strong></li>`,
  );
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Fjord Coffee</title>
<link rel="stylesheet" href="/style.css">
<script async src="${baseUrl}/v1/embed/widget.js" data-embed-key="${embedKey}"></script>
</head>
<body>
<header><a class="name" href="/?lang=${lang}">Fjord Coffee</a><nav aria-label="Language">${choices.join("")}</nav></header>
<main>
<h1>Roasted by the water.</h1>
<p class="lead">Small batches, twice a week. This shop is a demonstration: the chat in the corner is embedded with one script tag, from another origin, under a strict Content-Security-Policy.</p>
<ul class="coffees">${cards.join("")}</ul>
</main>
</body>
</html>
`;
}

export const shopStyle = `
body { margin: 0; font: 17px/1.6 Georgia, serif; color: light-dark(#22303a, #e8eef2); background: light-dark(#f6f3ee, #10181d); }
header { display: flex; flex-wrap: wrap; gap: 12px 32px; align-items: center; justify-content: space-between; padding: 22px 6vw; }
.name { font-size: 22px; font-weight: bold; text-decoration: none; }
a { color: inherit; }
nav { display: flex; gap: 16px; font-size: 15px; }
nav [aria-current] { font-weight: bold; text-decoration: none; }
main { max-width: 900px; padding: 5vh 6vw 120px; }
h1 { margin: 0; font-size: clamp(34px, 6vw, 62px); line-height: 1.1; }
.lead { max-width: 56ch; }
.coffees { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 24px; padding: 0; list-style: none; }
.coffees li { padding: 22px; background: light-dark(#fff, #1a252c); border-radius: 14px; }
.coffees h2 { margin: 14px 0 0; font-size: 20px; }
.coffees p { margin: 4px 0 12px; font-size: 15px; }
.bag { height: 120px; border-radius: 10px 10px 4px 4px; }
.blend { background: linear-gradient(#35627a, #234354); }
.light { background: linear-gradient(#d9a566, #b67f3d); }
.dark { background: linear-gradient(#5a4038, #33231d); }
`;
