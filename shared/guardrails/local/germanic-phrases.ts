import type { LanguagePhrases } from "./compile-phrases.ts";

export const germanicPhrases: readonly LanguagePhrases[] = [
  {
    language: "en",
    classes: {
      want: "want|wanna|wish|hope|hoping|need|ready|going|gonna|about|plan|planning|planned|think|thinking|thought|thoughts|rather|urge|decided|will|ll|might|could|tried|try|trying|feel|feeling|tempted",
      no: "don t|dont|do not|doesn t|not|no|never|no longer|nothing|isn t|can t|cannot|cant|without|lost|what s the|hardly",
      die: "to die|i die|just die|could die|should die|would die|rather die|wanna die|d die|be dead|be gone forever|not exist|stop existing|cease to exist|not wake up|never wake up|not be alive|end it all|disappear forever|vanish forever",
    },
    certain: `
      i|i m|im|i ve|to|of|about|me|just ~ kill|killing|hang|hanging|drown|drowning|poison|unalive|unaliving|offing|shoot|shooting|murder + ^myself ! in the foot|laughing|over|for|if|with laughter|trying|at the gym|with this
      i|i m|im|i d|me|just ~ $want ~ ^$die ! my hair|the|of|from|laughing|hard|for|in|on|at|to|cast|with laughter
      i want to|wanna|wish i could|i just want to|wish i would + ^die|die in my sleep|just die ! my|the|of|from|laughing|hard|for|in|on|at|to|cast
      i ~ fall asleep|go to sleep|sleep ~ ^never wake|not wake|don t wake|and not wake
      $no ~ want|wanna|wish ~ ^live|be alive|exist|be here anymore|be here any more|be in this world|wake up anymore|wake up any more|wake up tomorrow|continue living|keep living|go* on living ! in|at|with|like|near|there|on|by|under|off|through|alone|together|within|next
      wish|wished|better if|if only ~ i ~ ^dead|never been born|wasn t born|not been born|wasn t alive|didn t exist|never existed|never born
      $no ~ ^reason|point|purpose|will|meaning|left|anything|worth|sense ~ to live|living|for living|being alive|keep breathing|breathing|go* on|going* on|carry on|carrying on|keep going|live for|in my life|existing|exist ! in|with|at|like|here
      life|my life ~ isn t|not|no longer|never|nothing ~ ^worth|point|meaning|but pain ! at|of the
      ^better off|better|happier|easier|relieved|best|lighter ~ without me|if i was|if i were|if i weren t|if i wasn t|if i died|if i disappear|when i m gone|once i m gone|with me gone|if i am gone|i m dead|i was dead|if i didn t exist|me dead ! to|able|richer|more|allowed|home|taller|there
      without me ~ ^better|happier|easier|fine|relieved ! if you|as a
      i|i m|i ve|im ~ ^tired|sick|done|fed up|exhausted|weary ~ of living|of being alive|of existing|of life|with life|with living|living ! in|at|with|out of|off|like
      take|taking ~ ^my life|my own life
      ^end|ending|ended ~ my life|my own life|it all|my existence|my misery
      i|i m|im|i ve|feel|feeling|me|my ~ ^suicidal|suicidal thoughts|suicidal ideation ! patient|patients|people|student|students|teen|teens|person|persons|friend|client|clients|character|behavior
      i|i ve|me|my ~ thinking|thought|thoughts|think|considering|considered|planning|planned|attempt|attempted|commit|committing|contemplating|contemplated|tried ~ ^suicide ! squad|prevention|bomber|rate|rates|statistics|hotline|notes in|doors|mission|rates
      reads|read|find|found|finds|see|get this ~ i ll|i will|i m|i won t|i shall ~ ^gone|dead|no longer|not be here|be around|be here|be alive
      my|this is|this is my|saying ~ final|last|goodbye|farewell|suicide + ^note|message|letter|goodbye ~ to my|everyone|family|kids|parents|world|forgive|sorry
      ^goodbye world|goodbye everyone ~ i can t|sorry|forgive|gave up|tried|over
      written|wrote|writing ~ ^goodbye|farewell|suicide + letters|notes|note|letter ~ family|everyone|parents|kids|already
      i ~ ^pills|tablets|rope|gun|razor|noose|paracetamol|insulin ~ enough to|to end|end it|tonight|ready|to die|kill me|do it|all of them|the courage
      took|taken|swallowed|swallow|overdose|overdosed ~ all|whole|entire|bottle|too many|on ~ ^pills|tablets|sleeping|of pills|my meds|paracetamol
      ^painless|easiest|best|quickest|quick|peaceful|fastest|least painful ~ way|method|ways ~ to die|of dying|to kill myself|end my life|end it|to go|commit suicide ! die hard
      how many|how much|what dose ~ ^to die|to kill me|would kill me|to overdose|kill myself|to end my life
      nobod*|no one|noone|who ~ would|will|d|care|cares ~ ^miss me|notice|care ~ if i|when i|if i d ~ gone|died|die|dead|disappeared|disappear|vanished
      nobod*|no one|noone ~ ^would miss me|will miss me|would even miss me|would even notice if i
      standing|stand|sitting|sat|i m on ~ ^bridge|roof|ledge|edge|tracks|rooftop|railing ~ jump|over|courage|tonight|goodbye|end|one step|step
      ^jump|jumping|step|stepping|throw|throwing|walk|walking ~ off|from|in front of|myself ~ bridge|roof|train|building|balcony|traffic|a truck ! with a bungee|rope|in the game
      want|urge|keep|started|start|need|tempted|thinking|relapsed|can t stop|again|feel like|think about|been ~ cutting|cut|hurting|hurt|harming|harm|burning|burn|injure|punish|starve + ^myself|my arms|my wrists|my skin ! shaving|while|with a knife|on
      i ~ cut|burn|hurt|harm|cutting|burning|hurting|scratch + ^myself|my arms|my wrists|my thighs|my wrist ~ again|to feel|to cope|on purpose|every night|when i feel|so i feel|because it|deeper|every|just to|numb|secretly|punish
      cut|cutting|slit|slitting|slash|slashing + ^my wrists|my wrist|my arms|my veins|my thighs
      do something|something stupid|something bad ~ ^to myself
      can t|cannot|don t ~ ^go* on|take it|bear it|do this|stand it ~ living|anymore i want to|to die|life anymore|end it|goodbye
      i ~ don t deserve|not worthy|no right ~ ^to live|to be alive|live ! in|with|at|there
      ^hurting myself|harming myself|cutting myself ~ only|way|stop|help|cope|relief
      want|urge|urges|started|keep|been|again|relapsed|can t stop ~ ^self harm|self harming|selfharm|selfharming ! prevention
      i ~ ^kms|want to kms|gonna kms
      afraid|scared|worried|terrified|frightened ~ i|what i|of what i ~ ^to myself|hurt myself|harm myself|kill myself|end it|something stupid|do tonight|do to myself|do if i m alone
      ^scared of myself|afraid of myself|scared of my own thoughts|afraid of my own thoughts|don t trust myself tonight|don t trust myself alone|not safe with myself|don t feel safe with myself|unsafe with myself|safe from myself|danger to myself
      don t|not|never|can t ~ ^trust|promise ~ myself ~ alone|tonight|right now|with pills|safe|alive ! to
      can t promise ~ ^be here|be alive ~ tomorrow|next week|tonight
      voices|voice|head|something ~ telling me|tells me|tell me ~ ^kill|hurt|jump|die
      i ~ plan|date|day|method|place ~ ^to die|to end it|my death|to kill|for my suicide|i ll do it|end my life|how i ll die
      tonight|tomorrow|today ~ i ~ ^end it|end everything|be gone for good|finish it|finally do it|end it all ! meeting
      ^saved up|saving up|saving|stockpiling|stockpiled|hoarding|hoarded|collecting|collected|hidden|counted ~ pills|tablets|meds|medication|paracetamol ! for the trip
      bought|have|got|tied|hung|ready ~ ^rope|noose|razor blades|helium ~ hang|neck|tonight|ready|end|over|closet|garage|myself ! climbing|for climbing
      know|decided|picked|chosen|found ~ ^bridge|building|cliff|train ~ jump|off|front|tonight ! bungee|photo
      hit|hitting|punch|punching|bang|banging|bite|biting|scratch|scratching ~ myself|my head|my arms|my skin ~ ^until|bleed|bleeds|bruise|bruises|punish|calm
      ^until i bleed|until it bleeds|until they bleed ~ myself|arms|skin|scratch|cut|i
      ^razor|blade|blades|lighter|knife|scissors ~ my ~ arm|arms|thigh|thighs|wrist|wrists|skin|legs ! shave|shaving
      cut|cuts|cutting|burn|burns|burning|scars ~ on|my|all over ~ my ~ ^arms|thighs|wrists|legs|skin|forearm|stomach ~ again|from|hide|hiding|long sleeves|fresh|nobod*|last night|so i|every|feel ! kitchen|cooking|oven|sun
      i ~ written|wrote|writing ~ ^letters|notes|note ~ already|which day|ready|everyone|only a question|kids ! recommendation|of recommendation
      driving|drive|crash|crashing|steer ~ into ~ ^tree|oncoming|wall|traffic|a truck ~ think|thinking|tempted|urge|want|on purpose|just
      thinking|think|tempted|urge|fantasize|imagine ~ ^driving|crashing|swerving|steering ~ into|off ~ tree|oncoming|wall|bridge|truck|traffic`,
    unsure: `
      kms|suicid*|self harm|self harming|unalive
      can t|cannot|cant ~ ^go* on|take it anymore|take this anymore|do this anymore|keep going
      want ~ ^to disappear|it to stop|it to be over|to give up|to sleep forever
      give up on life|given up on life|hopeless|worthless|hate my life|hate myself|no way out
      kill myself|killing myself|hurt myself|hurting myself|cut myself|cutting myself`,
    fiction:
      "prevention|training|workshop|hotline|seminar|support group|novel|my story|short story|character|protagonist|screenplay|lyrics|lyric|song|poem|translate|movie|film|play|hamlet|essay|in the game|video game|my patient|patients|client says|student says|student said|student told|process|daemon|thread|container|shaving|chopping|cooking|slicing|dicing",
  },
  {
    language: "de",
    classes: {
      self: "mich|mir|mich selbst|mir selbst",
      want: "will|wollte|mochte|wurde|wunsche|wunschte|hoffe|liebsten|lust|denke|uberlege|gedanken|gedanke|werde|bereit|plane|konnte|versuche|versucht|wollen|daran|darauf",
      kill: "umbringen|umzubringen|umgebracht hatte|toten|zu toten|erhangen|zu erhangen|aufhangen|aufzuhangen|erschiessen|zu erschiessen|vergiften|zu vergiften|ertranken|zu ertranken|ritzen|zu ritzen|verletzen|zu verletzen|suizidieren|abstechen|etwas antun|etwas anzutun|was antun|was anzutun|das leben nehmen|das leben zu nehmen|die pulsadern|vor den zug|vor einen zug|auf die gleise|von der brucke|einen strick|den goldenen schuss|die kugel",
    },
    certain: `
      ich|will|werde|mochte|daran|wurde|davor|angst|gedanken|drang ~ ^$self ~ $kill ! fur ein|vor lachen
      $self ~ ^umzubringen|zu erhangen|das leben zu nehmen|etwas anzutun|was anzutun|zu suizidieren|zu toten
      ^bringe|bring|hange|erschiesse|tote|vergifte + ich mich ~ um|auf|selbst|heute|bald
      ich + ^bringe|bring|hange|erschiesse|tote + mich ~ um|auf|heute|selbst
      ich|konnte|nur|einfach ~ $want|nur noch|einfach ~ ^sterben|tot sein|tot ware|nicht mehr da sein|nicht mehr existieren|nicht mehr aufwachen|nie wieder aufwachen|nie mehr aufwachen|einfach weg sein|verschwinden fur immer|nicht mehr sein ! vor|fur|wie|im spiel
      ^einschlafen|schlafen|einzuschlafen ~ nie wieder|nicht mehr|nie mehr|nicht wieder ~ aufwachen|aufzuwachen|wach werden|aufwache
      will|mochte|kann|wollen ~ nicht mehr|nicht langer|nicht weiter|nicht|nimmer + ^leben|am leben sein|weiterleben|aufwachen|da sein|existieren|auf dieser welt sein|sein ! in|mit|bei|am
      lebe nicht mehr gern|habe keine lust mehr zu leben|bin des lebens mude|lebensmude|habe das leben satt|bin das leben leid
      ^lebens ~ mude|satt|leid|uberdrussig
      ^satt|mude|leid ~ zu leben|am leben zu sein ! in|mit|bei
      ^wozu|warum|wofur ~ noch leben|weiterleben|weiter leben|noch da sein|weitermachen ~ ich
      kein*|nichts|ohne|wozu ~ sinn|grund|wert|hoffnung|ausweg|freude|was mich ~ ^leben|weiterzuleben|weiterleben|lebens|halt|weiterzumachen|am leben ! in|mit
      leben ~ kein*|nicht|nichts|sinnlos ~ ^sinn|mehr wert|lebenswert|wert ! gemacht
      leben ist sinnlos|leben ist nicht mehr lebenswert|leben macht keinen sinn
      kein*|nichts|nicht ~ ^mehr ~ wofur|wozu|das ~ leben lohnt|zu leben lohnt|lohnt es sich zu leben|es sich zu leben lohnt
      ^ohne mich ~ besser*|leichter|glucklicher|besser dran|gut gehen|schoner
      ^besser*|leichter|glucklicher|gut ~ ohne mich|wenn ich tot|wenn es mich nicht|wenn ich weg ware|wenn ich nicht mehr|wenn ich nicht da ! konnt|im auto
      besser tot|besser dran wenn ich tot|ware besser tot|lieber tot
      ^wunsch*|ware|ware am liebsten|hoffe ~ ich ~ tot|nie geboren|nicht mehr da|nicht geboren ! mude
      nie geboren worden|ware ich nie geboren|ware ich doch tot|war ich doch tot
      meinem leben|dem leben|mein leben|meinem leiden|all dem|allem ~ ^ein ende|ende ~ setzen|bereiten|machen|zu machen
      mein leben ~ ^beenden|zu beenden|nehmen|wegwerfen|beende
      mit allem schluss machen|schluss machen mit dem leben|ich will alles beenden|ich will es beenden|dem allen ein ende setzen|will einfach schluss machen
      ich|mir|mich|meine ~ ^selbstmord*|suizid*|freitod|lebensmude* ~ gedanken|denke|plane|begehen|versuch*|uberlege|gedacht|nach|absichten
      ^selbstmord*|suizid* ~ gedanken|nachgedacht|denke ~ ich|mich|mir
      ^denke|dachte|gedacht|nachgedacht|nachdenke|uberlege|plane|gedanken|erwage ~ selbstmord|suizid|freitod|an den tod
      ich ~ ^suizidal|suizidgefahrdet|selbstmordgedanken|suizidgedanken|selbstmordgefahrdet ! patient*|person*|jugendliche*|schuler*|mensch*
      ^lest|liest|lesen|findet|lese ~ bin ich|werde ich|gibt es mich ~ tot|nicht mehr|weg|nicht mehr da
      mein|ein ~ ^abschied|abschiedsbrief|letzter brief|letzte nachricht ~ sucht mich nicht|verzeiht|es tut mir leid|lebt wohl|ich kann nicht|geschrieben|nicht mehr
      ^abschiedsbrief*|abschiedsbriefe ~ geschrieben|schreibe|liegt|fertig ! kolleg*|chef*
      ^lebt wohl|macht s gut|verzeiht mir ~ kann nicht mehr|gehe jetzt|nicht mehr da|bin weg
      ^tabletten|schlaftabletten|pillen|strick|seil|rasierklinge*|messer|pistole|insulin ~ bereit|gesammelt|geschluckt|reichen|schlucken|genommen|genug ~ sterben|leben|heute|schluss|ende|alle|mich|um
      alle|zu viele|ganze packung|uberdosis ~ ^tabletten|schlaftabletten|pillen ~ geschluckt|genommen|nehmen|schlucken
      wie viele|wieviel*|welche dosis ~ ^sterben|mich umzubringen|todlich|tot|umbringt
      ^schmerzlos*|schnellste*|sicherste*|einfachste* ~ sterben|zu sterben|tod|mich umzubringen|sein leben zu beenden|methode zu sterben
      stehe|steh|sitze|springe|springen|spring|sprung ~ ^brucke|dach|hochhaus|gleise*|gelander|zug ~ springen|sprung|vor|ende|runter|ich
      vor den zug|vor einen zug|von der brucke|vom dach|aus dem fenster ~ ^springen|werfen|sturzen|spring|zu springen|springe ! im spiel
      ^ritz*|schneid*|verletz*|verbrenn* + ich mich|mich|mir die arme|mir in den arm|ich mir ~ wieder|absichtlich|jeden|um|wenn|seit|selbst|druck|spuren|heimlich ! beim|schuler*
      ich + ^ritze|verletze + mich|mich selbst|mir die arme ! beim|an|am|im
      ich ~ mich ~ ^geritzt|selbst verletzt|ritze|zu ritzen|aufgeschnitten
      niemand*|keiner|keinem ~ ^vermissen|vermisst|merken|auffallen|fehlen|traurig ~ ich|mich|tot|wenn
      niemand|keiner ~ ^wurde mich vermissen|wird mich vermissen|vermisst mich wenn
      ich ~ ^nicht verdient ~ zu leben|am leben
      ^pulsadern ~ auf*|schneid*
      angst|furchte|sorge|trau* ~ ^mir was|mir etwas|vor mir selbst|vor mir selber|mir selbst|mir selber nicht|mir selbst nicht ~ an|antu*|tue|uber den weg|nicht|alleine|allein|heute
      ^angst vor mir selbst|angst vor mir selber|nicht sicher vor mir selbst|vor mir selbst nicht sicher|traue mir selbst nicht mehr|angst vor meinen gedanken
      angst|furchte|gefahr ~ ^antue|antun|dummheit|dummes|kurzschlusshandlung ~ heute|allein|ich|mir|mache|bald
      dass ich mir ~ ^antue|antun konnte|etwas antue|was antue|das leben nehme
      ich ~ mir ~ ^antue|antun|anzutun ~ angst|furchte|heute|bald|allein
      stimme*|kopf ~ ^sag*|befehl*|flust* ~ umbring*|springen|sterben|verletzen|toten|schluss
      heute|morgen|diese nacht|heute nacht|heute abend ~ ^mache ich schluss|bringe ich es zu ende|ist schluss mit mir|beende ich es|ist es vorbei|tue ich es|mache ich es|werde ich es tun ~ leben|endgultig|immer|abschied|tabletten|alles|schluss
      plan|datum|tag|methode|ort ~ ^meinen tod|mein ende|zu sterben|mich umzubringen|meinen selbstmord|es zu beenden|meinem leben|meinen suizid
      ^tabletten|schlaftabletten|pillen ~ gesammelt|gehortet|zusammen|gespart|versteckt|aufgehoben|beiseite|liegen bereit|zurechtgelegt|gekauft und|vor mir
      gesammelt|gehortet|sammle|horte|spare ~ ^tabletten|schlaftabletten|pillen
      ^strick|seil|schlinge|rasierklinge*|gasflasche|waffe|pistole ~ gekauft|besorgt|bereit|hangt|liegt|keller|dachboden ~ heute|bereit|schluss|ende|hals|mich|dachboden|keller|abschied ! klettern
      weiss|ausgesucht|entschieden ~ ^brucke|hochhaus|gleis*|zug|parkhaus ~ spring*|werf*|leg*|stell*
      ^bis es blutet|bis ich blute|bis zum bluten|blutig ~ kratz*|ritz*|schneid*|schlag*|ich|arme
      kratz*|schlag*|beiss*|verbrenn* ~ ^mich selbst|mich blutig|mir die haut|meine arme|mich mit
      ^rasierklinge|klinge|feuerzeug|zigarette*|schere|cutter ~ arm*|oberschenkel*|handgelenk*|haut|bein*
      schneid*|geschnitten|ritze|narben|schnitte ~ meine|meinen|mir|mich ~ ^arm*|oberschenkel*|handgelenk*|unterarm* ! op|operation
      mich|mir ~ ^geritzt|aufgeritzt|aufgeschlitzt
      schluss ~ ^mit allem|mit dem leben|mit meinem leben ~ ich|mache|briefe|bereit|entschieden
      ich|mache ~ ^schluss mit allem|schluss mit dem leben|schluss mit meinem leben
      gegen|vor ~ ^baum|brucken*|lkw|lastwagen ~ fahren|zu fahren|lenken|steuern`,
    unsure: `
      selbstmord*|suizid*|umbringen|umzubringen|ritzen|selbstverletz*|lebensmude|freitod
      kann nicht mehr|halte es nicht mehr aus|ertrage es nicht mehr|keinen ausweg|hasse mein leben|hasse mich|will verschwinden|will nicht mehr|alles sinnlos|keine kraft mehr|nur noch eine last|bin eine last`,
    fiction:
      "pravention|vorbeugung|schulung|fortbildung|suizidpravention|seminar|roman|romans|figur|geschichte|kurzgeschichte|hauptfigur|protagonist*|film|lied|songtext|gedicht|ubersetz*|theaterstuck|drama|schuler|schulerin|patient*|klient*|wird mich umbringen|bringt mich um|prozess|rasieren|kochen|spiel|level",
  },
  {
    language: "nl",
    classes: {
      kill: "van kant maken|doden|ophangen|op te hangen|verhangen|zelfmoord plegen|van het leven beroven|doodmaken|verdrinken|vergiften|suicideren|voor de trein gooien|te doden|van kant te maken|iets aandoen|iets aan doen|iets aan te doen|snijden|te snijden|pijn doen|pijn te doen|ombrengen",
    },
    certain: `
      ik|om|wil|ga|zou ~ mezelf|mij zelf|me|mijzelf ~ ^$kill ! aan papier|met koken
      ^zelfmoord ~ plegen|te plegen|gepleegd|gedachten|denk|plannen|overweeg ~ ik|mijn|me
      ik|mijn|me ~ ^zelfmoord*|suicidaal|suicide*|zelfdoding|zelfmoordgedachten ~ plegen|denk|gedachten|plan|voel|overweeg|nagedacht|elke|iedere|poging|steeds|al
      denk|dacht|overweeg|nadenk|gedacht|plan|gedachten ~ ^zelfmoord|zelfdoding|suicide|de dood|euthanasie omdat ik ! squad
      ik ~ ^suicidaal|zelfmoordgedachten|levensmoe ! patient*
      ik|wou|wil|liever ~ ^wil|wou|zou|liefst|hoop ~ dood|sterven|doodgaan|dood zijn|er niet meer zijn|niet meer bestaan|niet meer wakker worden|nooit meer wakker worden ! van|voor het|lachen|aan
      slapen|inslapen|slaap ~ niet meer|nooit meer ~ ^wakker
      ^wil|wens|hoef|kan ~ niet meer|niet langer|niet + leven|verder leven|bestaan|wakker worden|doorleven|er zijn ! in|met|bij
      ik ~ ^geen zin meer ~ in het leven|om te leven|te leven ! in
      ^moe|beu|zat ~ van het leven|het leven|om te leven
      geen|niks|niets|waarvoor|waarom ~ ^reden|zin|doel|hoop|uitweg ~ leven|te leven|verder te gaan|doorgaan|door te gaan|verder te leven ! in|met
      ^leven ~ geen|niet|niks|zinloos ~ zin|waard|meer
      leven is zinloos|leven heeft geen zin
      zonder mij|zonder me ~ ^beter|gelukkiger|makkelijker|fijner
      ^beter|gelukkiger|makkelijker|beter af|rustiger ~ zonder mij|zonder me|als ik er niet|als ik dood|als ik weg ben|als ik er niet meer
      was|ben|zou + ^ik maar|ik liever + dood|nooit geboren|er niet meer
      ik ~ ^wou|wilde|wens|wenste ~ dood was|nooit geboren|niet bestond|er niet meer was|er niet was
      ^einde|eind ~ aan mijn leven|aan mijn leven maken|aan alles maken|aan te maken ~ maken
      een einde aan mijn leven|mijn leven beeindigen|uit het leven stappen|stap uit het leven|mezelf van kant
      ^ik stap eruit|ik wil eruit stappen|ik ga eruit stappen ~ niet meer|sorry|vergeef|pijn|leven|op
      ^lezen|leest|lees|vindt ~ ben ik|ben ik er|leef ik ~ niet meer|dood|weg|er niet meer
      ^afscheidsbrief|afscheidsbrieven|laatste bericht|dit is mijn afscheid ~ geschreven|schrijf|sorry|vergeef|niet meer ! collega
      ^vaarwel|dit is mijn afscheid|vergeef me ~ ik kan|niet meer|spijt|ga nu
      ^pillen|slaappillen|tabletten|touw|mes|medicijnen|paracetamol ~ genoeg|klaar|gespaard|ingenomen|geslikt|verzameld ~ dood|sterven|einde|vanavond|ermee|leven|allemaal|maken
      alle|te veel|hele strip|overdosis ~ ^pillen|slaappillen|tabletten ~ geslikt|genomen|slikken|innemen
      hoeveel ~ ^pillen|paracetamol|tabletten|slaappillen ~ dood|sterven|dodelijk
      ^pijnloos|pijnloze|snelste|makkelijkste ~ dood|sterven|manier om te sterven|zelfmoord|dood te gaan
      sta|zit|spring|springen ~ ^brug|dak|spoor|trein|flat ~ springen|spring|eraf|af|voor|ervoor
      voor de trein|van het dak|van de brug|van een brug ~ ^springen|spring|gooien
      ik ~ ^snijd|snij|verwond|beschadig|kras|beschadigde|verwondde + mezelf|in mijn armen|mijzelf|in mijn arm|mijn polsen
      niemand ~ ^missen|mist|merken|merkt ~ mij|me|ik|dood|weg
      niemand zou me missen|niemand zal me missen|niemand mist mij
      ik ~ ^verdien ~ niet ~ te leven
      bang|angst|vertrouw*|veilig ~ ^mezelf|mijzelf|me iets|mij iets ~ doe|aandoe|aan doe|doen|niet|vannacht|alleen
      ^bang voor mezelf|bang van mezelf|niet veilig bij mezelf|vertrouw mezelf niet|mezelf niet meer vertrouwen|bang voor mijn gedachten
      mezelf|mijzelf|me ~ ^iets aandoe|iets aan doe|wat aandoe|iets ga aandoen|iets aandoen|wat aandoen|van kant maak
      ik ~ mezelf|me ~ ^dood|kant|kapot|ophang|verhang|verdrink|ombreng ~ maken|maak|ga|wil|vannacht
      vannacht|vanavond|morgen|vandaag ~ ^maak ik er een einde|is het voorbij|stap ik eruit|doe ik het|ga ik het doen|maak ik een eind
      plan|datum|manier|plek ~ ^een einde|te sterven|dood te gaan|mijn dood|zelfmoord|eruit te stappen
      ^pillen|slaappillen|tabletten|medicijnen ~ gespaard|verzameld|opgespaard|verstopt|klaarliggen|liggen klaar|klaargelegd|in huis gehaald
      gespaard|verzamel*|spaar|opgespaard|verstop* ~ ^pillen|slaappillen|tabletten|medicijnen
      ^touw|strop|scheermes*|pistool ~ gekocht|klaar|hangt|ligt|zolder|schuur ~ vanavond|vannacht|klaar|einde|nek|mezelf|zolder ! klimmen
      weet|uitgekozen|besloten ~ ^brug|spoor|trein|flat ~ spring*|ga|afspring*
      ^tot het bloedt|tot ik bloed|tot bloedens toe ~ kras*|snij*|ik|krab*|sla
      ik ~ ^snij*|kras*|brand*|sla|krab* ~ mezelf|mijn ~ armen|arm|polsen|benen|huid|pijn|weer|expres|vaak|stiekem
      ^mezelf ~ snij*|pijn|snijden|krassen|verwonden|beschadigen|verbranden ~ weer|opnieuw|begonnen|stoppen|steeds|om|stiekem|elke
      ik ~ ^snij|snijd|kras|verwond|beschadig|brand + mezelf
      scheermes*|mesje|aansteker|schaar ~ ^arm|armen|polsen|bovenbeen|benen|huid ! scheren
      ik|wil|ga|zou ~ ^er niet meer zijn|er een einde aan maken|er een eind aan maken|niet meer leven|zelfdoding
      besluit*|besloten|weekend|zondag|zaterdag|vrijdag|maandag ~ ^stap ik eruit|stap ik er uit|maak ik er een einde aan ! bij|op|in
      mezelf|me ~ ^gesneden|gekrast|verwond|verminkt|gesneeen ! aan|met koken
      niet|niets|nooit ~ ^meer wakker worden`,
    unsure: `
      zelfmoord*|suicid*|zelfdoding|automutil*|mezelf snijden|mezelf pijn|ik stap eruit
      kan niet meer|hou het niet meer vol|wil niet meer|geen uitweg|haat mijn leven|haat mezelf|wil verdwijnen|alleen maar een last|ben een last|ben iedereen tot last`,
    fiction:
      "preventie|zelfmoordpreventie|training|cursus|roman|personage|verhaal|film|liedje|songtekst|gedicht|vertaal|toneelstuk|leerling|patient*|client|proces|scheren|koken|spel",
  },
];
