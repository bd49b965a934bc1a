/** Documents of a fictional company, each with questions that it answers, one per line. */
export const answerable: readonly (readonly [title: string, text: string, questions: string])[] = [
  [
    "Annual leave",
    "Every employee has thirty days of annual leave per calendar year. Up to five unused days can be carried over until the end of March. Requests are entered in the staff portal at least two weeks ahead. The team lead approves them within three working days. In the first six months, two and a half days are earned each month. Special leave of two days is granted for a wedding, one day for moving house and three days after the birth of a child. Leave that falls on sick days is credited back on presentation of a doctor's note.",
    `How many days of annual leave do I have?
How many unused leave days can I carry over to next year?
Until when must carried over leave be taken?
Where do I enter a leave request?
How long before my holiday must I request leave?
Who approves annual leave?
How much special leave do I get for my wedding?
Do I get a day off for moving house?
What happens to my leave if I fall sick?
How many days off after the birth of a child?`,
  ],
  [
    "Travel expenses",
    "Business trips are booked through the travel desk. Train journeys above three hours may be booked in first class; flights are always economy. Hotels cost at most 140 euros per night, in London and Paris 190 euros. The daily meal allowance is 28 euros inland. Taxis need a reason on the receipt. Expense reports are due within thirty days after the trip and are paid with the next salary. Private cars are compensated with 30 cents per kilometer. Lost receipts can be replaced by a signed statement up to 50 euros.",
    `Who books business trips?
Can I travel first class by train?
What class are flights booked in?
How expensive may a hotel be in Paris?
What is the daily meal allowance?
When is an expense report due?
How much is paid per kilometer with a private car?
What do I do about a lost receipt?
When are travel expenses paid out?
Do I need to justify taking a taxi?`,
  ],
  [
    "Laptop and accounts",
    "New employees receive their laptop on the first day from the service desk on the ground floor. The password must have fourteen characters and is changed once a year. Accounts lock after six failed attempts and are unlocked by the service desk, extension 4400. Software is installed from the self-service catalog; other programs need approval by the security team. Broken screens are repaired within two days, and a loan device is available until then. The virtual private network is required outside of the office. Laptops are replaced every four years.",
    `Where do I get my laptop on the first day?
How many characters must a password have?
How often does the password change?
What is the extension of the service desk?
After how many failed attempts is an account locked?
How do I install software on my laptop?
How long does the repair of a broken screen take?
Is there a loan device while mine is repaired?
When do I need the virtual private network?
How often are laptops replaced?`,
  ],
  [
    "Espresso machine Aurora 3",
    "The Aurora 3 heats up in four minutes and brews at nine bar. Grind eighteen grams of coffee finely and brew for twenty-five to thirty seconds to get thirty-six grams of espresso in the cup. Descale the machine every three months with citric acid, or when the blue lamp blinks. The water tank holds 2.1 liters. Milk is steamed at 65 degrees. A worn gasket drips; replace it with part number AU-117. The drip tray is safe in the dishwasher. The warranty covers two years, except for gaskets.",
    `How long does the Aurora 3 take to heat up?
How many grams of coffee do I grind for an espresso?
How long should an espresso brew?
How often must I descale the espresso machine?
What does the blinking blue lamp mean?
How large is the water tank of the Aurora?
At which temperature is milk steamed?
Which part number has the gasket?
Can I put the drip tray in the dishwasher?
How long is the warranty of the espresso machine?`,
  ],
  [
    "Returns and refunds",
    "Goods can be returned within forty-five days after delivery if they are unused and in the original box. The return label is printed from the order page and is free in the European Union. Customers in Switzerland pay six francs. Refunds arrive on the original means of payment within ten days after the parcel reaches the warehouse in Rotterdam. Gift cards and opened cosmetics cannot be returned. Exchanges for another size are free once per order. Damaged parcels must be reported with photographs within seventy-two hours.",
    `How long can I return goods?
Where do I print the return label?
How much does a return from Switzerland cost?
When does my refund arrive?
Where is the warehouse for returns?
Can I return a gift card?
Is an exchange for another size free?
How quickly must damaged parcels be reported?
Can opened cosmetics be returned?
Do goods have to be in the original box?`,
  ],
  [
    "Lighthouse museum",
    "The lighthouse museum opens at nine and closes at five; on Mondays it stays closed. The tower has 214 steps and no elevator. Tickets cost eight euros, children under twelve enter free. The lamp was lit for the first time in 1874 and burned rapeseed oil until 1911, when electricity arrived. The keeper Josephine Brandt saved eleven sailors in the storm of 1893. Guided tours start at eleven and three. The cafe serves fish soup. Dogs are allowed on a leash in the garden only.",
    `When does the lighthouse museum open?
On which day is the museum closed?
How many steps does the tower have?
Is there an elevator in the lighthouse?
How much is a ticket to the museum?
When was the lamp lit for the first time?
What did the lamp burn?
Who saved eleven sailors in the storm?
When do guided tours start?
Are dogs allowed in the museum?`,
  ],
  [
    "Incident response",
    "A security incident is reported at once to the duty officer, phone 9911, or by mail to soc@harborline.example. Do not switch the computer off: disconnect it from the network. The duty officer rates the incident from one to four; levels three and four wake the crisis team. Customers are informed within twenty-four hours, the data protection authority within seventy-two hours. Evidence is stored for one year. A review without blame follows within two weeks, led by someone who was not involved.",
    `Whom do I call about a security incident?
What is the phone number of the duty officer?
Should I switch off an infected computer?
Which incident levels wake the crisis team?
How soon are customers informed about an incident?
Within how many hours must the data protection authority be informed?
How long is evidence stored?
Who leads the review of an incident?
When does the review without blame take place?
To which mail address do I report security incidents?`,
  ],
  [
    "Deployment of the billing service",
    "The billing service is deployed from the main branch every weekday at 10:00. A canary receives five percent of the traffic for twenty minutes. If the error rate exceeds one percent, the pipeline rolls back by itself. Database migrations run before the deployment and must be compatible with the previous version. Releases are frozen from 20 December to 2 January. Hotfixes need two approvals. The dashboard is called Ledger Health. Invoices are generated at midnight on the first of the month by the job invoice-run.",
    `When is the billing service deployed?
How much traffic does the canary receive?
How long does the canary phase last?
At which error rate does the pipeline roll back?
When do database migrations run?
When are releases frozen?
How many approvals does a hotfix need?
What is the dashboard of billing called?
Which job generates the invoices?
When are invoices generated?`,
  ],
  [
    "Sourdough bread",
    "Feed the starter with equal weights of flour and water twelve hours before baking. Mix five hundred grams of wheat flour, 350 grams of water, one hundred grams of starter and ten grams of salt. Fold the dough four times, thirty minutes apart. Let it rest in the refrigerator overnight. Bake in a closed pot at 250 degrees for twenty minutes and without the lid for twenty-five more. The crust sings while it cools. A dense crumb means that the starter was too young. Rye flour needs more water.",
    `When do I feed the starter?
How much salt goes into the bread?
How often do I fold the dough?
Where does the dough rest overnight?
At how many degrees is the sourdough baked?
How long does the bread bake without the lid?
Why is the crumb dense?
Does rye flour need more water?
How much starter do I mix in?
How many grams of wheat flour do I need?`,
  ],
  [
    "Parental leave",
    "Parents can take up to thirty-six months of parental leave per child. It is requested in writing seven weeks before it begins. During the leave, working up to thirty-two hours a week is possible. The employment contract continues, and bonuses are paid in proportion. Both parents can take their leave at the same time. The pension fund keeps the insurance for twelve months without contributions. The return interview with human resources takes place eight weeks before the end.",
    `How long can parental leave be?
How many weeks ahead is parental leave requested?
May I work during parental leave?
How many hours a week can I work while on parental leave?
Are bonuses paid during parental leave?
Can both parents take leave at the same time?
How long does the pension fund keep the insurance?
When is the return interview?
Must the request for parental leave be in writing?
Does the employment contract continue during parental leave?`,
  ],
  [
    "Bicycle trailer Otter",
    "The trailer Otter carries two children or 45 kilograms. It is attached to the axle with the hitch H2 and a safety strap. Tires are inflated to 2.4 bar. The cover is washable at thirty degrees. It folds to 25 centimeters and fits into most cars. A flag and two rear lamps are included; the lamps need AA batteries. The maximum speed is 25 kilometers per hour. Children must be able to sit by themselves, usually from nine months. Spare wheels are ordered as OT-W16.",
    `How many children fit into the trailer Otter?
How much weight does the trailer carry?
Which hitch attaches the trailer?
To what pressure are the tires inflated?
Can the cover of the trailer be washed?
How small does the trailer fold?
Which batteries do the lamps need?
What is the maximum speed with the trailer?
From what age can children ride in the trailer?
How do I order spare wheels?`,
  ],
  [
    "Board minutes of 14 March",
    "The board approved the purchase of the Tallinn office for 3.2 million euros. The vote was five to one, with Mr. Okafor against. The dividend is raised to 1.10 euros per share. Ms. Lindqvist reported a churn of 2.3 percent, the lowest since 2019. The search for a chief financial officer ends in May. The whistleblower policy was accepted without changes. The sustainability report is postponed to September, because supplier data is missing. The next meeting takes place in Porto on 20 June.",
    `What did the board approve for the Tallinn office?
Who voted against the purchase?
How high is the dividend per share?
What churn did Ms. Lindqvist report?
When does the search for a chief financial officer end?
Was the whistleblower policy accepted?
Why is the sustainability report postponed?
Where does the next board meeting take place?
When is the next meeting of the board?
How much does the Tallinn office cost?`,
  ],
  [
    "Greenhouse sensors",
    "Sensor nodes send temperature and humidity every five minutes over LoRa at 868 megahertz. The battery lasts about three years. A node that is silent for thirty minutes raises the alarm NODE_LOST. Calibration uses a salt solution at 75 percent humidity. Firmware is updated over the air on Sunday nights. The gateway on the roof of hall B reaches two kilometers. Readings above 45 degrees open the vents automatically. Data is kept for ten years in the table readings_raw.",
    `How often do sensor nodes send data?
On which frequency do the nodes send?
How long does the battery of a sensor node last?
When is the alarm NODE_LOST raised?
How are humidity sensors calibrated?
When is the firmware updated?
Where is the gateway mounted?
At which temperature do the vents open?
How long are sensor readings kept?
What is the name of the table with readings?`,
  ],
  [
    "Canteen",
    "The canteen in the north wing serves lunch from 11:30 to 14:00. There is always a vegan dish at counter two. A meal costs between 4.20 and 7.80 euros and is paid with the badge. Guests pay with a card. Allergens are listed on the screen above each counter. Groups of more than ten reserve by mail to canteen@harborline.example. Leftover meals are sold for two euros after 13:45. The salad bar is weighed: 100 grams cost 95 cents. The kitchen is closed between Christmas and New Year.",
    `When does the canteen serve lunch?
At which counter is the vegan dish?
How do employees pay for a meal?
How can guests pay in the canteen?
Where are allergens listed?
How do groups reserve a table?
What do leftover meals cost?
How much do 100 grams of salad cost?
When is the kitchen closed?
In which wing is the canteen?`,
  ],
  [
    "Interview process",
    "Candidates talk to a recruiter for thirty minutes, then solve a practical task at home that takes at most two hours. The on-site day has three interviews: craft, collaboration and system design. Interviewers write their notes before they talk to each other. The decision is made within five working days. Salary bands are stated in the job advertisement. Rejected candidates get feedback by phone and can apply again after nine months. Referrals are rewarded with 1,500 euros after the trial period.",
    `How long is the first talk with a recruiter?
How much time does the practical task take?
Which interviews are part of the on-site day?
When do interviewers write their notes?
How quickly is a hiring decision made?
Where are salary bands stated?
How do rejected candidates get feedback?
When can a rejected candidate apply again?
How much is the reward for a referral?
When is the referral reward paid?`,
  ],
  [
    "Water filter Brook",
    "The cartridge of the filter Brook lasts for 150 liters or four weeks. Soak a new cartridge in cold water for fifteen minutes and discard the first two fillings. The jug holds 2.4 liters, of which 1.4 are filtered. The counter in the lid turns red when the cartridge is used up. Hard water above twenty degrees shortens its life by a third. The filter reduces lime, chlorine and lead, but not nitrate. Used cartridges are collected in pharmacies. The jug must not be washed above fifty degrees.",
    `How long does the cartridge last?
How long must a new cartridge soak?
How many fillings are discarded?
How much water does the jug hold?
What does the red counter in the lid mean?
How does hard water affect the cartridge?
Does the filter remove nitrate?
Which substances does the filter reduce?
Where are used cartridges collected?
At what temperature can the jug be washed?`,
  ],
  [
    "Sales territories",
    "Territory North covers Denmark, Norway, Sweden and Finland and is led by Ingrid Solheim. Territory Alps covers Austria and Switzerland and is led by Beat Zumstein. Deals above 250,000 euros need the approval of the regional director. Discounts of up to twelve percent are given by account managers. Partners receive a commission of eight percent in the first year. Leads are distributed each Tuesday. A lead without activity for twenty-one days returns to the pool. The forecast is due on the last Friday of the month.",
    `Which countries belong to territory North?
Who leads the territory Alps?
Which deals need the approval of the regional director?
How much discount can account managers give?
What commission do partners receive?
When are leads distributed?
What happens to a lead without activity?
When is the forecast due?
Who is responsible for Sweden?
After how many days does a lead return to the pool?`,
  ],
  [
    "Fire safety",
    "When the alarm sounds, leave the building by the stairs and gather at the chestnut tree behind hall C. Elevators stop on the ground floor. Floor wardens wear orange vests and check the restrooms. Extinguishers are inspected every two years; the label shows the next date. Candles are forbidden in offices. The exercise takes place in April and October. Wheelchair users wait in the protected lobby near the stairs, where a telephone connects to the fire brigade. Doors with green signs must never be blocked.",
    `Where do we gather when the fire alarm sounds?
May I use the elevator during an alarm?
What do floor wardens wear?
How often are extinguishers inspected?
Are candles allowed in the office?
When does the fire exercise take place?
Where do wheelchair users wait?
Which doors must never be blocked?
Who checks the restrooms?
How do people in the protected lobby reach the fire brigade?`,
  ],
  [
    "Data warehouse",
    "The warehouse is loaded every night at two o'clock from twelve source systems. Tables in the layer gold are documented and stable; tables in bronze can change without notice. Access is requested in the tool Keyring and expires after six months. Queries that scan more than one terabyte are stopped. The owner of the customer table is the team Compass. Personal data is masked unless the role privacy-reader is granted. Costs are charged to the department each quarter. Late data is marked with the column is_late.",
    `When is the data warehouse loaded?
From how many source systems is the warehouse loaded?
Which tables are stable and documented?
In which tool do I request access to the warehouse?
When does access to the warehouse expire?
Which queries are stopped?
Who owns the customer table?
Which role sees personal data unmasked?
How are warehouse costs charged?
How is late data marked?`,
  ],
  [
    "Choir Harbor Voices",
    "The choir Harbor Voices rehearses on Wednesdays at 18:30 in the old customs house. New singers audition with one song of their choice in September and February. The membership fee is sixty euros a year, and half of it for students. The conductor is Mateo Ferreira. The summer concert is on 6 July in the fish market; the program contains Fauré and folk songs from Galicia. Scores are borrowed from the archivist, Ms. Petrov. Tenors are in short supply. The choir was founded in 1988 by dock workers.",
    `When does the choir rehearse?
Where does the choir rehearse?
When are auditions for new singers?
How high is the membership fee of the choir?
Who conducts the choir?
When is the summer concert?
Which composer is in the program of the concert?
From whom are scores borrowed?
Which voices are in short supply?
Who founded the choir?`,
  ],
];

/** Questions about the world that none of the documents answers. */
const general = `Who won the world cup 2022?
What is the capital of Australia?
How tall is Mount Everest?
Who wrote Pride and Prejudice?
What is the speed of light?
When did the Second World War end?
Who painted the Mona Lisa?
What is the boiling point of mercury?
How many planets are in the solar system?
Who is the president of France?
What is the square root of 1764?
How do vaccines work?
What is the largest ocean on earth?
Who invented the telephone?
What year did the Titanic sink?
How do I solve a quadratic equation?
What is the currency of Japan?
Who composed the Ninth Symphony?
What is photosynthesis?
How many bones does an adult human have?
What is the tallest building in Dubai?
Who discovered penicillin?
When was the Berlin Wall torn down?
What is the chemical symbol of gold?
Who directed Jurassic Park?
What is the longest river in Africa?
How does a nuclear reactor work?
Who was the first person on the moon?
What language is spoken in Brazil?
How do I write a for loop in Python?
What is the meaning of life?
Who won the Nobel Prize in Literature in 2017?
What is the population of India?
How far is the moon from the earth?
What is the plot of Hamlet?
Who founded Microsoft?
How do airplanes fly?
What causes earthquakes?
When is the next solar eclipse?
What is a black hole?
How do I invest in index funds?
What is the best exercise for back pain?
Who is the fastest sprinter of all time?
What is the atomic number of carbon?
How do I get to Narnia?
What are the symptoms of influenza?
Who sang Bohemian Rhapsody?
What is the weather in Lisbon tomorrow?
How old is the universe?
What is the difference between a crocodile and an alligator?
Who was Cleopatra?
How is glass made?
What is blockchain?
Can you write a poem about autumn?
Translate good morning into Swedish.
Who plays Iron Man?
What is the score of the Lakers game?
How do I tie a bow tie?
What is the tallest mammal?
Why is the sky blue?
How many teeth does a shark have?
What is the stock price of Apple?
Who is the mayor of Chicago?
What happened at Pearl Harbor?
How do I remove a wine stain from a carpet?
What is the derivative of sine?
Who wrote the Odyssey?
What is the national animal of Scotland?
How many strings does a violin have?
What is the deepest lake in the world?
How do magnets work?
Who is Spider-Man's uncle?
What is the recipe of tiramisu?
When did the Roman Empire fall?
What does DNA stand for?
How do I change a flat tire on a truck?
What is the smallest country in the world?
Who won the Oscar for best actor last year?
What are the rules of cricket?
How does a combustion engine work?
What is the tax rate in Ireland?
Who is the author of Harry Potter?
What is quantum entanglement?
How many legs does a spider have?
What is the best smartphone?
Who was Genghis Khan?
How do I train for a marathon?
What is the circumference of the earth?
When was the printing press invented?
Which team does Messi play for?
What is the freezing point of ethanol?
Who designed the Eiffel Tower?
How do bees make honey?
What is the highest waterfall?
How does GPS know where I am?
What is the most spoken language?
Who is the queen of Denmark?
What is the mass of an electron?
How do I learn to juggle?
What is the half-life of uranium?`;

/** Questions about topics close to those of the documents that none of the documents answers. */
const related = `What is the dress code in the office?
How do I park my car at headquarters?
Is there a gym for employees?
What is the retirement age?
Can I bring my cat to work?
How do I become a member of the works council?
Which health insurance does the company offer?
What is the maternity pay in the United States?
Can I work from a beach in Thailand?
Who is the chief executive officer?
How do I order business cards?
What is the Wi-Fi password for visitors?
Which printer supports color?
How do I set up an out-of-office reply?
Can I get a second monitor?
Does the company pay for a phone contract?
How do I recover a deleted mailbox?
Which browser is supported?
How do I encrypt a USB stick?
Where can I recycle toner?
What does the Aurora 5 cost?
Does the Aurora 3 make hot chocolate?
Which beans are best for cold brew?
Is there a grinder with flat burrs?
How loud is the coffee grinder?
Do you ship to Canada?
Can I pay with cryptocurrency?
Is there a loyalty program with points?
Do you offer gift wrapping?
How do I track my parcel?
Can I change the delivery address?
Do you have a store in Madrid?
Is there a student discount in the shop?
Can I cancel my subscription?
How do I delete my shop profile?
Is there parking at the museum?
Can I marry in the lighthouse?
Does the museum have an audio guide?
Which ferry goes to the island?
What did the keeper earn in 1900?
Who built the harbor wall?
Is there a playground near the tower?
How do phishing campaigns work?
Which antivirus do we use?
Do we have cyber insurance?
Who is the auditor for ISO certification?
How are backups rotated?
What is the recovery time objective?
Which cloud region hosts payroll?
Is Kubernetes used for search?
How do I request a feature flag?
Which programming language is the frontend written in?
How is code coverage reported?
Who maintains the design system?
Which license does our library use?
How do I make croissants?
What is the best flour for pizza?
How do I store fresh yeast?
Can I bake cookies without sugar?
How do I make jam from plums?
What is the child benefit per month?
Is there a kindergarten at work?
Which school is near the office?
How do I adopt a child?
Does the trailer have suspension?
Which helmet should my daughter wear?
Can I attach a surfboard rack?
How do I repair a bicycle chain?
Which lock is the safest?
What was the revenue in the fourth quarter?
Who chairs the audit committee?
Will there be layoffs?
What is the share buyback program?
When was the company listed on the exchange?
Which bank finances the acquisition?
How much fertilizer do tomatoes need?
Which pump irrigates the field?
How do I fight aphids?
What is the yield of cucumbers per square meter?
Is the greenhouse insured against hail?
Is there sushi on Fridays?
Can I rent the hall for a birthday?
Who supplies the vegetables?
Is the meat organic?
What is the starting salary of an engineer?
Do you sponsor visas?
Is there a relocation package?
How many applicants were there last year?
What is the notice period?
Does the jug exist in green?
Can I filter rain water?
Is distilled water healthy?
Who leads the territory Iberia?
What was the quota in Germany?
Which CRM do competitors use?
How do I run a webinar?
Where is the nearest hospital?
Which sprinklers are installed?
Do I need a first-aid course?
How do I become a lifeguard?
Which visualization tool is the cheapest?
Is there a course about machine learning?
How do I read sheet music?
Does the choir tour in Japan?
Which microphone is used for recordings?
Is there a dance class on Thursdays?`;

const toLines = (text: string) => text.split("\n");

/** Questions that none of the documents answers. */
export const unanswerable: readonly string[] = [...toLines(general), ...toLines(related)].slice(0, 200);

/** Questions with the title of the document that answers them. */
export const answerableQuestions: readonly { readonly question: string; readonly title: string }[] = answerable.flatMap(
  ([title, , questions]) => toLines(questions).map((question) => ({ question, title })),
);
