/** Question of a visitor with the topic that it belongs to; null for one that is about no topic of the others. */
export interface TopicQuestion {
  readonly topic: string | null;
  readonly language: "de" | "en" | "es" | "fr" | "ja" | "tr";
  readonly question: string;
}

/** Topics by whose questions the thresholds of the grouping are chosen. The others measure the result. */
export const calibrationTopics: ReadonlySet<string | null> = new Set([
  ...[
    "return costs",
    "range of the battery",
    "gift card",
    "delivery address",
    "leasing",
    "child seat",
    "warranty of the frame",
  ],
]);

/** Questions of a bicycle shop's visitors, a line for each with its language, by topic. */
const questionsByTopic: Readonly<Record<string, string>> = {
  "return costs": `en Who pays for return shipping?
en Do I have to pay the postage when I send something back?
en Are returns free of charge?
de Wer zahlt die Rücksendung?
de Kostet die Rücksendung etwas?`,
  "delivery time": `en How long does delivery take?
en When will my parcel arrive?
en delivery time to Ireland
fr Combien de temps prend la livraison ?
fr Quels sont les délais de livraison en Belgique ?`,
  "range of the battery": `de Wie weit komme ich mit dem Akku?
de Welche Reichweite hat der Akku vom E-Bike?
de Akku Reichweite im Winter
ja バッテリーでどのくらい走れますか？
ja バッテリーの走行距離はどれくらいですか`,
  invoice: `tr Faturamı nereden indirebilirim?
tr Fatura kopyası alabilir miyim?
tr faturayı şirket adına kesebilir misiniz
en Where can I download my invoice?
en I need a copy of the invoice for my company`,
  "gift card": `fr Ma carte cadeau a-t-elle une date d'expiration ?
fr Combien de temps une carte cadeau est-elle valable ?
es ¿Caduca la tarjeta regalo?
es ¿Cuánto tiempo es válida una tarjeta regalo?`,
  "opening hours": `de Habt ihr samstags geöffnet?
de Öffnungszeiten Laden Köln
de Wann macht das Geschäft am Samstag auf?
ja 土曜日は営業していますか？
ja 営業時間を教えてください`,
  "delivery address": `en Can I change the delivery address after ordering?
en I entered the wrong address, how do I correct it?
en change shipping address of my order
es ¿Puedo cambiar la dirección de entrega?
es Me equivoqué de dirección al hacer el pedido`,
  "size of a helmet": `ja ヘルメットのサイズの選び方を教えてください
ja どのサイズのヘルメットを買えばいいですか
tr Kask bedenimi nasıl ölçerim?
tr Hangi kask bedeni bana uyar?
tr kask beden tablosu var mı`,
  leasing: `de Kann ich das Rad über den Arbeitgeber leasen?
de Bietet ihr Dienstrad-Leasing an?
de Wie funktioniert das Leasing über den Arbeitgeber?`,
  account: `en How do I delete my account?
en I want my customer account removed
fr Comment supprimer mon compte ?
fr Je veux supprimer mon compte client`,
  "child seat": `tr Çocuk koltuğu hangi bisikletlere takılır?
tr Çocuk koltuğu takabilir miyim?
tr bu bisiklete çocuk koltuğu uyumlu mu
es ¿Se puede montar una silla infantil?
es ¿Qué silla infantil es compatible con esta bicicleta?`,
  brakes: `de Meine Bremse quietscht, was kann ich tun?
de Warum quietschen die Bremsen bei Nässe?
en My brakes squeal when it rains
en How do I stop disc brakes from squealing?`,
  "warranty of the frame": `es ¿Cuántos años de garantía tiene el cuadro?
es garantía del cuadro de carbono
ja フレームの保証期間は何年ですか
ja フレームが割れた場合は保証の対象ですか`,
  customs: `fr Dois-je payer des droits de douane en Suisse ?
fr Livrez-vous en Suisse et qui paie la douane ?
fr frais de douane pour la Suisse`,
  "old batteries": `en Can I give back my old battery for recycling?
en Where do I dispose of a used e-bike battery?
ja 古いバッテリーを回収してもらえますか
ja 使用済みバッテリーの処分方法を教えてください`,
};

const outside = `en Do you sponsor local sports clubs?
en Is the rain jacket vegan?
en Who founded the company?
de Kann ich mit Bitcoin bezahlen?
de Gibt es ein Café bei euch?
es ¿Hacéis descuento a estudiantes?
fr Quelle huile faut-il pour la chaîne ?
fr Avez-vous un poste de mécanicien à pourvoir ?
tr Mağazada otopark var mı?
ja 試乗の予約はできますか`;

const toQuestions = (topic: string | null, lines: string): TopicQuestion[] =>
  lines.split("\n").map((line) => ({
    topic,
    language: line.slice(0, 2) as TopicQuestion["language"],
    question: line.slice(3),
  }));

/**
 * Questions of 15 topics in six languages, and some about nothing else. It was written before the grouping that it
 * measures.
 */
export const topicQuestions: readonly TopicQuestion[] = [
  ...Object.entries(questionsByTopic).flatMap(([topic, lines]) => toQuestions(topic, lines)),
  ...toQuestions(null, outside),
];
