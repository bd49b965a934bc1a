/** Question that continues a conversation. */
export interface FollowUp {
  /** Question before, which was answered from the same document. */
  readonly earlier: string;
  readonly question: string;
  /** The question as a person completed it. */
  readonly completed: string;
  /** Title of the document with the answer. */
  readonly title: string;
}

/** Five questions for each document of the relevance set: the question before, the one that continues it, and this one completed. */
const lines: Readonly<Record<string, string>> = {
  "Annual leave": `How many days of annual leave do I have? | And how many of them can I carry over? | How many days of annual leave can I carry over to the next year?
Where do I enter a leave request? | Who has to approve it? | Who has to approve a leave request?
How much special leave do I get for my wedding? | And for moving house? | How much special leave do I get for moving house?
How many unused leave days can I carry over? | Until when? | Until when can unused leave days be carried over?
How many days of annual leave do I have? | What if I get sick during that time? | What happens to annual leave if I get sick during it?`,
  "Travel expenses": `Who books business trips? | How much can the hotel cost then? | How much can the hotel cost on a business trip?
What class are flights booked in? | What about trains? | What class are train journeys of business trips booked in?
How expensive may a hotel be in Paris? | And in other cities? | How expensive may a hotel be in other cities?
When is an expense report due? | What if I lost one of the receipts? | What do I do about a lost receipt for an expense report?
How much is paid per kilometer with a private car? | Can I take a taxi instead? | Can I take a taxi on a business trip instead of my private car?`,
  "Laptop and accounts": `Where do I get my laptop on the first day? | When is it replaced? | When is the laptop replaced?
How many characters must a password have? | How often do I have to change it? | How often do I have to change the password?
After how many failed attempts is an account locked? | Who can unlock it? | Who can unlock a locked account?
How do I install software on my laptop? | And if a program isn't in there? | Who approves software that is not in the self-service catalog?
How long does the repair of a broken screen take? | What do I work with until then? | Is there a loan device while the broken screen is repaired?`,
  "Espresso machine Aurora 3": `How long does the Aurora 3 take to heat up? | How big is its tank? | How big is the water tank of the Aurora 3?
How often must I descale the espresso machine? | What do I use for that? | What do I use to descale the espresso machine?
How many grams of coffee do I grind for an espresso? | How long does it brew? | How long does an espresso brew?
How long is the warranty of the espresso machine? | Does that include the gasket? | Does the warranty of the espresso machine include the gasket?
Can I put the drip tray in the dishwasher? | It also drips at the top. Which part do I need? | Which part replaces a worn gasket of the espresso machine that drips?`,
  "Returns and refunds": `How long can I return goods? | What does it cost me from Switzerland? | How much does the return of goods cost from Switzerland?
When does my refund arrive? | On which account? | On which means of payment does my refund arrive?
Where do I print the return label? | Is that free? | Is the return label free?
Can I return a gift card? | What about cosmetics? | Can I return cosmetics?
How long can I return goods? | And when they arrive damaged? | How quickly must goods be reported that arrive damaged?`,
  "Lighthouse museum": `When does the lighthouse museum open? | Also on Mondays? | Is the lighthouse museum open on Mondays?
How many steps does the tower have? | Is there an elevator? | Is there an elevator in the tower of the lighthouse?
How much is a ticket to the museum? | And for children? | How much is a ticket to the museum for children?
When was the lamp lit for the first time? | What did it burn? | What did the lamp of the lighthouse burn?
When do guided tours start? | Can my dog come along? | Can my dog come along to the lighthouse museum?`,
  "Incident response": `Whom do I call about a security incident? | What's his number? | What is the phone number of the duty officer for security incidents?
Should I switch off an infected computer? | What do I do with it instead? | What do I do with an infected computer instead of switching it off?
How soon are customers informed about an incident? | And the authority? | How soon is the data protection authority informed about an incident?
Which incident levels wake the crisis team? | Who decides on the level? | Who rates the level of an incident?
Who leads the review of an incident? | When does that take place? | When does the review of an incident take place?`,
  "Deployment of the billing service": `When is the billing service deployed? | Is there a freeze at Christmas? | Are releases of the billing service frozen at Christmas?
How much traffic does the canary receive? | For how long? | For how long does the canary receive traffic?
At which error rate does the pipeline roll back? | Where can I watch that? | What is the dashboard of the billing service called?
How many approvals does a hotfix need? | When do its migrations run? | When do database migrations of a deployment run?
Which job generates the invoices? | When does it run? | When does the job run that generates the invoices?`,
  "Sourdough bread": `When do I feed the starter? | With what? | With what do I feed the starter of sourdough bread?
How much salt goes into the bread? | And how much water? | How much water goes into the sourdough bread?
How often do I fold the dough? | How long in between? | How long do I wait between folding the dough?
At how many degrees is the sourdough baked? | How long with the lid on? | How long is the sourdough baked in the closed pot?
How many grams of wheat flour do I need? | What changes if I take rye? | What changes if I take rye flour for sourdough bread?`,
  "Parental leave": `How long can parental leave be? | How early do I have to ask for it? | How many weeks ahead do I have to request parental leave?
May I work during parental leave? | How many hours? | How many hours may I work during parental leave?
Can both parents take leave at the same time? | Do they still get bonuses? | Do parents on parental leave still get bonuses?
How long does the pension fund keep the insurance? | Do I have to pay contributions for that? | Do I have to pay contributions for the insurance of the pension fund during parental leave?
When is the return interview? | With whom? | With whom is the return interview after parental leave?`,
  "Bicycle trailer Otter": `How many children fit into the trailer Otter? | How old do they have to be? | How old do children have to be for the trailer Otter?
Which hitch attaches the trailer? | How fast can I ride with it? | How fast can I ride with the trailer Otter?
To what pressure are the tires inflated? | Where do I get spare ones? | How do I order spare wheels for the trailer Otter?
Can the cover of the trailer be washed? | At what temperature? | At what temperature can the cover of the trailer be washed?
Which batteries do the lamps need? | How many of those are included? | How many lamps are included with the trailer Otter?`,
  "Board minutes of 14 March": `What did the board approve for the Tallinn office? | Who was against it? | Who voted against the purchase of the Tallinn office?
How high is the dividend per share? | And what churn was reported? | What churn was reported to the board?
Why is the sustainability report postponed? | To when? | To when is the sustainability report postponed?
Where does the next board meeting take place? | On which date? | On which date does the next board meeting take place?
How much does the Tallinn office cost? | What else did they accept? | Which policy did the board accept?`,
  "Greenhouse sensors": `How often do sensor nodes send data? | On which frequency? | On which frequency do sensor nodes send data?
How long does the battery of a sensor node last? | And what happens if one goes silent? | Which alarm is raised if a sensor node goes silent?
How are humidity sensors calibrated? | When do they get new firmware? | When do the sensors get new firmware?
Where is the gateway mounted? | How far does it reach? | How far does the gateway of the greenhouse sensors reach?
How long are sensor readings kept? | In which table? | In which table are sensor readings kept?`,
  Canteen: `When does the canteen serve lunch? | Is there anything vegan? | Is there a vegan dish in the canteen?
How do employees pay for a meal? | And guests? | How do guests pay for a meal in the canteen?
What do leftover meals cost? | From what time? | From what time are leftover meals sold?
How do groups reserve a table? | From how many people on? | From how many people on do groups reserve in the canteen?
At which counter is the vegan dish? | Where do I see what's in it? | Where are the allergens of the dishes in the canteen listed?`,
  "Interview process": `How long is the first talk with a recruiter? | What comes after that? | What comes after the talk of candidates with a recruiter?
Which interviews are part of the on-site day? | When do I hear the result? | When is the hiring decision made after the on-site day?
How do rejected candidates get feedback? | Can they try again? | Can rejected candidates apply again?
How much is the reward for a referral? | When do I get it? | When do I get the reward for a referral?
When do interviewers write their notes? | How much time does the task at home take? | How much time does the practical task at home take?`,
  "Water filter Brook": `How long does the cartridge last? | Even with hard water? | How long does the cartridge of the filter last with hard water?
How long must a new cartridge soak? | And the first fillings? | How many first fillings of a new cartridge are discarded?
How much water does the jug hold? | Can I put it in the dishwasher? | At what temperature can the jug be washed?
Does the filter remove nitrate? | What does it remove then? | Which substances does the filter reduce?
What does the red counter in the lid mean? | Where do I bring the old one? | Where are used cartridges collected?`,
  "Sales territories": `Which countries belong to territory North? | Who leads it? | Who leads the territory North?
Who leads the territory Alps? | Which countries does he have? | Which countries belong to the territory Alps?
How much discount can account managers give? | What if the deal is larger than 250,000? | Whose approval do deals above 250,000 euros need?
When are leads distributed? | What if there is no activity? | What happens to a lead without activity?
What commission do partners receive? | Only in the first year? | Do partners receive the commission only in the first year?`,
  "Fire safety": `Where do we gather when the fire alarm sounds? | Can I take the elevator down? | Can I take the elevator when the fire alarm sounds?
What do floor wardens wear? | What are they checking? | What do floor wardens check?
Where do wheelchair users wait? | How do they call for help? | How do wheelchair users in the protected lobby reach the fire brigade?
How often are extinguishers inspected? | Where do I see the date? | Where do I see the next date of the inspection of extinguishers?
When does the fire exercise take place? | Twice a year? | Does the fire exercise take place twice a year?`,
  "Data warehouse": `When is the data warehouse loaded? | From how many systems? | From how many source systems is the data warehouse loaded?
Which tables are stable and documented? | And the bronze ones? | Are the tables in the layer bronze stable?
In which tool do I request access to the warehouse? | How long is that valid? | When does access to the warehouse expire?
Who owns the customer table? | Can I see personal data there? | Which role sees personal data unmasked in the data warehouse?
How are warehouse costs charged? | Are there limits for queries? | Which queries of the data warehouse are stopped?`,
  "Choir Harbor Voices": `When does the choir rehearse? | Where? | Where does the choir rehearse?
When are auditions for new singers? | What do I have to sing? | What do new singers have to sing at the audition?
How high is the membership fee of the choir? | Is it cheaper for students? | Is the membership fee of the choir cheaper for students?
When is the summer concert? | What will they sing? | What is in the program of the summer concert?
Who conducts the choir? | Since when does it exist? | When was the choir founded?`,
};

export const followUps: readonly FollowUp[] = Object.entries(lines).flatMap(([title, text]) =>
  text.split("\n").map((line) => {
    const [earlier = "", question = "", completed = ""] = line.split(" | ");
    return { earlier, question, completed, title };
  }),
);

/** Documents with words of the others, which answer none of the questions. */
export const neighbors: readonly (readonly [title: string, text: string])[] = [
  [
    "Leave of absence for elections",
    "Employees who help at a polling station are released from work on the day of the election. They show the invitation of the municipality to their department. The office of the works council answers questions about honorary posts.",
  ],
  [
    "Company cars",
    "Company cars are ordered from the leasing partner after the trial period. The driver pays for fuel abroad. Damage is reported to fleet management on the same day. Winter tires are changed in October by the workshop on Dock Street.",
  ],
  [
    "Phones",
    "Mobile phones come with a protective case. A second SIM card is possible for people on call. Phones are wiped remotely when they are lost. Private numbers can be moved to the contract of the company.",
  ],
  [
    "Coffee grinder Luma",
    "The grinder Luma has forty steps. Clean the burrs every month with a brush. The hopper holds 250 grams of beans. It switches off after five minutes without use. Spare burrs are sold as LU-40.",
  ],
  [
    "Shipping",
    "Orders before noon leave the same day. Bulky goods are delivered by a forwarding agent, who makes an appointment. Parcels wait for a week at the pick-up point. Express delivery is offered in twelve cities.",
  ],
  [
    "Maritime archive",
    "The archive keeps logbooks of 340 ships. Readers order documents two days ahead. Copies are made by the staff. Photographs without flash are allowed in the reading room. A lamp with cold light is at each desk.",
  ],
  [
    "On-call duty",
    "Engineers on call carry the phone for a week. They are paid for the hours of standby. A handover takes place on Monday at nine. An engineer who was woken at night starts later on the next day.",
  ],
  [
    "Deployment of the search service",
    "The search service is deployed by its team after each merge. Indexes are rebuilt on the weekend. Feature flags are removed after a month. The staging environment has a copy of the synonyms.",
  ],
  [
    "Pizza dough",
    "Pizza dough rests for two days. Divide it into balls of 270 grams. Stretch it by hand and do not use a rolling pin. Tomatoes from the can are better than fresh ones in winter.",
  ],
  [
    "Orchestra of the harbor",
    "The orchestra meets on Thursdays in the school on the hill. It looks for a bassoon. Instruments can be rented from the association. Its trip to Bergen was a success.",
  ],
];
