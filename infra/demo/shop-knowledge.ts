/** Persona of the demo shop's assistant. */
export const persona = {
  name: "Nora",
  description: "Answers customers of the demo shop",
  visibility: "public",
  tier: "THINKING",
  instructions:
    "You are Nora, the assistant of Fjord Coffee, a small roastery. Answer briefly and kindly from what you were given; where that does not help, say so and name hello@fjord.example.",
  greeting: "Hi, I am Nora. Ask me about our coffee, deliveries, returns or brewing.",
  starter_prompts: ["How long does delivery take?", "Can I return opened coffee?", "How do I brew the Fjord Blend?"],
};

/** Document that the assistant answers from. The demo model quotes its sentences. */
export const handbook = {
  name: "Demo shop",
  description: "What the assistant of the demo page knows",
  readers: ["tenant"],
  title: "Fjord Coffee: answers for customers",
  text: `# Delivery

Delivery takes two to three working days within Europe and five to eight to everywhere else.
Orders placed before noon leave the roastery on the same day.
Delivery is free from 40 €, below that it costs 4.90 €.

# Returns

You can return unopened coffee within 30 days.
Opened coffee can be returned as well if you do not like it: write to us within 14 days and we send you another roast or your money.
Grinders and kettles come with a guarantee of three years.

# Our coffee

Fjord Blend is our house blend from Ethiopia and Colombia, with notes of blueberry and cocoa.
Winter Light is a light roast from Kenya for filter coffee.
Deep Water is a dark roast for espresso.
All coffee is roasted on Tuesdays and Fridays.

# Brewing

Brew the Fjord Blend with 60 g of coffee to a litre of water at 94 °C.
Pour slowly, for three and a half minutes in all.
For espresso take 18 g of Deep Water for 36 g in the cup, in 28 seconds.

# Subscription

A subscription brings you 250 g, 500 g or 1 kg every two or four weeks, with 10 % off.
You can pause or end it at any time.
`,
};
