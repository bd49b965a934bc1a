/**
 * Documents of a bicycle shop by collection, of which none answers a question of `topicQuestions`. Lines are documents in English,
 * German, French, Spanish, Turkish or Japanese.
 */
export const documentsByCollection: Readonly<Record<string, string>> = {
  Shipping: `Shipping costs. Delivery of a parcel costs 4.90 euros, and shipping is free for orders above 80 euros. Bicycles are delivered by a forwarder.
Versandkosten. Der Versand eines Pakets kostet 4,90 Euro. Ein Fahrrad liefert die Spedition bis zur Bordsteinkante.
Frais de livraison. La livraison d'un colis coûte 9,90 euros vers la Belgique, la Suisse et le Luxembourg.
Gastos de envío. La entrega de un paquete a una dirección de España cuesta 7,90 euros.`,
  Returns: `How to return a product. Pack the product, print the label and bring the parcel to a shop of the carrier within 30 days. Returns are refunded within a week.
Rücksendung. Ein Produkt können Sie innerhalb von 30 Tagen zurückgeben. Den Aufkleber für die Rücksendung drucken Sie in Ihrem Konto.
Garantía. La garantía cubre defectos de fabricación del motor y de los componentes. Presente el recibo de compra.
保証について。保証の対象は製造上の欠陥です。購入時のレシートをお持ちください。`,
  Bicycles: `Brakes. All models have hydraulic disc brakes. The mechanic bleeds the brakes and changes the pads once a year.
Akku. Der Akku hat 625 Wattstunden und lässt sich zum Laden herausnehmen. Das Laden dauert vier Stunden.
バッテリー。バッテリーは取り外して充電できます。充電には四時間かかります。
Bisiklet. Bisiklet modellerinin kadrosu alüminyumdur ve bagaj taşıyıcısı vardır.`,
  Accessories: `Helmets. Our helmets have a visor and a light. A helmet must be replaced after a fall.
Kask. Kask modellerimizin vizörü ve ışığı vardır. Düşmeden sonra kask değiştirilmelidir.
ヘルメット。ヘルメットにはライトとバイザーが付いています。転倒後は交換してください。
Sillas infantiles. La silla infantil pesa cuatro kilos y tiene un cinturón de tres puntos. Çocuk koltuğu dört kilodur.`,
  Payment: `Ways to pay. We accept cards, bank transfer and purchase on invoice. The invoice is due in 14 days.
Ödeme. Kart ve havale kabul ediyoruz. Fatura ile ödemede süre 14 gündür.
Cartes cadeaux. Les cartes cadeaux sont vendues pour 25, 50 ou 100 euros et envoyées par courriel. Tarjetas regalo de 25 a 100 euros.
Leasing. Beim Leasing zahlen Sie eine monatliche Rate. Das Dienstrad gehört der Gesellschaft, die es verleast.`,
  Shops: `Our shops. The shop in Cologne has a workshop and test bicycles. The nearest tram stop is Neumarkt.
Unsere Läden. Der Laden in Köln hat eine Werkstatt und Räder für Probefahrten. Das Geschäft liegt am Neumarkt.
店舗。ケルンの店舗には工房があります。営業の担当者がご案内します。`,
  Account: `Customer account. In your account you see your orders and change your password. Registration takes a minute.
Compte client. Dans votre compte, vous voyez vos commandes et changez votre mot de passe.`,
};

/** Collections of which each may hold the answers to the questions of a topic. */
export const collectionsByTopic: Readonly<Record<string, readonly string[]>> = {
  "return costs": ["Returns"],
  "delivery time": ["Shipping"],
  "range of the battery": ["Bicycles"],
  invoice: ["Payment"],
  "gift card": ["Payment"],
  "opening hours": ["Shops"],
  "delivery address": ["Shipping"],
  "size of a helmet": ["Accessories"],
  leasing: ["Payment"],
  account: ["Account"],
  "child seat": ["Accessories"],
  brakes: ["Bicycles"],
  "warranty of the frame": ["Returns"],
  customs: ["Shipping"],
  "old batteries": ["Bicycles", "Returns"],
};
