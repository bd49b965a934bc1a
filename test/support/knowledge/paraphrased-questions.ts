/**
 * Questions about the documents of `relevance-set.ts` that avoid their words, by title of the document, one per line. They
 * were written from the texts alone, before any search was measured with them.
 */
export const paraphrasedQuestions: Readonly<Record<string, string>> = {
  "Annual leave": `How much paid vacation is each worker entitled to?
Do my remaining holidays expire after New Year?
Can I get time away from my job to get married?
I caught the flu on vacation, are those holidays lost?`,
  "Travel expenses": `What may I spend on accommodation abroad?
Who pays me back for driving my own automobile?
Deadline for handing in receipts from a journey?
Am I allowed to fly business?`,
  "Laptop and accounts": `Where does a newcomer pick up the computer?
My login was blocked because I mistyped, who helps?
Can I download programs that I want myself?
My monitor glass is cracked, what now?`,
  "Espresso machine Aurora 3": `How do I get rid of limescale in my coffee maker?
How big is the reservoir?
What powder quantity makes a good shot?
It is leaking, which spare part do I buy?`,
  "Returns and refunds": `Can I send an unwanted purchase back?
When will I see my money again after shipping an article back?
The package came broken, what should I do?
Can I swap shoes that are too small?`,
  "Lighthouse museum": `What is the admission price for adults?
On which weekday is the exhibition not accessible?
May I bring my puppy?
Is there a lift for people who cannot climb stairs?`,
  "Incident response": `Whom do I call when I think that we were hacked?
Should I shut down an infected PC?
How fast do clients learn about a breach?
How long do we preserve forensic data?`,
  "Deployment of the billing service": `What happens when the new release produces too many failures?
Can we ship software around Christmas?
How many people must sign off on an urgent patch?
When are customers charged every month?`,
  "Sourdough bread": `How hot must the oven be for a homemade loaf?
Why is the inside of my loaf heavy?
How often do I stretch the mixture?
How long do I chill it in the fridge?`,
  "Parental leave": `How long may a mother stay home with her baby?
Can father and mother be off simultaneously?
How many hours may I keep working with a newborn?
When must I tell my employer that I will stay home with my infant?`,
  "Bicycle trailer Otter": `How much weight may I load behind my bike?
How fast may I cycle when pulling my toddlers?
From what age can a baby ride along?
How do I clean the fabric?`,
  "Board minutes of 14 March": `What did the directors decide about buying real estate in Estonia?
How much profit do shareholders receive?
Who voted no?
Why was the environmental publication delayed?`,
  "Greenhouse sensors": `How often is the climate measured among the plants?
What warns us when a device stops talking?
When does new device software get installed?
What happens when it gets too hot for the plants?`,
  Canteen: `Where can I eat at midday?
Is there food without animal products?
What does a warm dish cost at work?
Where do I see whether a dish has nuts in it?`,
  "Interview process": `How does hiring work for an applicant?
When will I hear whether I got the job?
Do I get a bonus for recommending a friend?
How long do I wait before trying again after a refusal?`,
  "Water filter Brook": `When do I have to swap the insert of my pitcher?
Which harmful substances are taken out?
How do I prepare a fresh insert?
Where can I dispose of the old insert?`,
  "Sales territories": `Who is in charge of Scandinavia?
How much may an account rep lower the price?
What does a reseller earn?
What happens to a prospect without any contact?`,
  "Fire safety": `How do I evacuate if it burns?
Where is the meeting point outside?
What should someone who cannot walk do in an emergency?
When do we drill?`,
  "Data warehouse": `When is the analytics database refreshed?
Which datasets can I rely on?
How do I get permission to read the data?
Who pays for expensive SQL?`,
  "Choir Harbor Voices": `When do the singers practice?
What does it cost to join the vocal group?
Who leads the music ensemble?
Where do I find sheet music?`,
};
