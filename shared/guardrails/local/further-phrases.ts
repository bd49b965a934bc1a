import type { LanguagePhrases } from "./compile-phrases.ts";

export const furtherPhrases: readonly LanguagePhrases[] = [
  {
    language: "cs",
    classes: {
      want: "chci|chtěl bych|chtěla bych|chtěl|chtěla|přeju si|přeji si|plánuju|plánuji|přemýšlím|uvažuju|uvažuji|chce|chtít|hodlá|vyhrožuje|rozhodl|rozhodla|nejradši bych|nejraději bych|pokusil|pokusila|myslím na to|chcem|chcel by som|chcela by som|rozmýšľam",
      kill: "zabít|oběsit|podřezat|otrávit|utopit|zastřelit|něco udělat|ublížit|vzít život|zabiť|obesiť|podrezať|niečo urobiť|ublížiť",
    },
    certain: `
      bez mě|bez mne|bezo mňa ~ ^líp|lépe|lepší|snazší|lepšie|lehčí
      ^hlas*|hlasy ~ říká|říkají|opakuje|vravia|hovoria|nutí|šeptá|prikazuj* ~ skoč*|zabi*|ublíž*|umř*|zomri*|ublížiť
      ^dopis*|listy ~ na rozloučenou|pro mámu|pro rodinu|rozlúčku ~ napsan*|napsal*|napísan*|hotov*
      ^siahnem|siahnuť|siahne|sáhnu|sáhnout|sáhne ~ na život|si na život
      uvažuj*|přemýšlím|myslím|rozmýšľam|plánuj* ~ o|nad ~ ^sebevražd*|samovražd*
      ^nevzbudil*|nezobudil*|neprobudím|nezobudím ~ nikdy|ráno|už|viac
      ^přítěž*|na obtíž|na príťaž ~ jen|všem|všetkým|len
      ukončit|ukončiť|skončit|skončiť|zabalit|zabaliť ~ ^to navždy|nadobro|se vším navždy|svůj život|svoj život
      stojím|sedím ~ ^moste|streche|koľajach|okne ~ dôvod|skoč*|domov
      $want ~ se|si|sa ~ ^$kill ! ve hře|smíchy
      se|si|sa ~ ^zabiju|zabije|oběsím|oběsí|podřežu|otrávím|zastřelím|zabijem|obesím|podrežem ! smíchy|jestli
      ^$want ~ umřít|zemřít|nežít|nebýt|zmizet navždy|už se neprobudit|zomrieť|umrieť|nebyť ! v|smíchy
      nechci|nechce|nechcu|nechtěl bych|nechcem|nechce se mi|nemám sílu|neumím|nemôžem ~ ^žít|žiť|existovat|existovať|být na světě|ďalej žiť ! v|s|na|bez|tady|u|takhle s
      ^usnul|usnula|usnout|usnúť|zaspat|zaspať ~ neprobudil*|neprobudit|neprobouze*|nezobudi*|neprobudím
      ^skončit|skončím|skoncovat|skončiť|skoncuji|skoncuju ~ se životem|se vším|to všechno|so životom|se sebou
      nemá|nemám|nevidím|ztratil* ~ ^smysl|cenu|důvod|zmysel ~ žít|života|žiť|dál|život
      život ~ nemá|ztratil|stratil ~ ^smysl|cenu|zmysel
      ^beze mě|beze mne|bezo mňa ~ líp|lépe|lepší|snazší|klid|lepšie|ľahšie
      ^lépe|líp|lepší|snazší|lepšie ~ beze mě|beze mne|bezo mňa|kdybych nebyl*|kdybych tu nebyl*
      ^řežu|řezat|řezal*|pořezal*|režem|porezal*|ubližuj* ~ se|sa|si|zase|znovu|ruku|ruce|stehna|zápěstí ! při vaření|papírem|do prstu
      se|si|sa|zase|znovu ~ ^řežu|pořezala|pořezal|režem ! při vaření|papírem|do prstu|do stromu
      ^rozloučil*|rozlúčil*|loučím|dopis na rozloučenou ~ se všemi|se všema|dneska|skončím|odpusť*|promiň*|so všetkými
      spolkl*|vzal*|nastřádal*|mám ~ ^prášky|pilulky|tablety|léky|provaz ~ všechny|dost|skončit|umřít|připraven*|celé
      stojím|stojí|sedí|sedím|jsem|je ~ ^mostě|střeše|okně|kolejích|parapetu|římse ~ skoč*|skočí|skočit`,
    unsure: `
      sebevražd*|sebepoškoz*|samovražd*|zabít se|oběsit se
      už nemůžu|už to nezvládám|nenávidím se|nenávidím svůj život|jsem na obtíž|všem jen na obtíž`,
    fiction:
      "prevence|školení|román|postava|povídk*|film|píseň|písnič*|básni*|přelož|divadl*|pacient*|proces|hře|hra|vaření|statistik*|knih*|detektivk*",
  },
  {
    language: "sv",
    classes: {
      want: "vill|ville|skulle vilja|önskar|planerar|tänker|funderar|försökte|ska|har tänkt|hotar|vil|ville ønske|ønsker|vurderer|kommer att|har lyst",
      kill: "ta livet|ta mitt liv|ta sitt liv|ta mit liv|ta livet mitt|hänga mig|döda mig|skada mig|skära mig|skjuta mig|dränka mig|tage mit liv|tage livet|slå meg i hjel|drepe meg|henge meg|skade mig|skade meg|begå selvmord|begå självmord|göra slut på allt|gøre en ende på det",
    },
    certain: `
      ^rösterna|röster|stemmerne|stemmene|stemmer ~ säger|siger|sier|uppmanar ~ hoppa|springe|kliva|dö|dø|hoppe|drepe|skada|skade
      överväger|overvejer|vurderer|tänker på|tænker på|tenker på|planerar|planlægger|planlegger ~ ^självmord|selvmord
      ^ta livet ~ av mig|av meg|av sig|af mig
      ^sparat ihop|samlat|samlet|gemt|spart ~ tabletter|piller|pillerne
      ^kutter|skjærer|cutte|cutter|ritser ~ meg|igen|igjen|opp
      ^savne|sakna|savner ~ meg|mig ~ borte|borta|væk|død|ingen
      ingen ~ kommer|kommer til|skulle ~ ^savne meg|sakna mig|savne mig
      ^avskedsbrev|afskedsbrev|avskjedsbrev ~ skrevet|skrivit|skrev|lagt|klar*
      gör|gjør|gør ~ ^slut på det|en ende på det|slutt på det ~ ikväll|i kveld|i aften|nu|nå
      nemmere|lettere|bättre|bedre ~ ^bare var væk|bare var borte|inte fanns|ikke fantes|ikke fandtes|aldrig var född
      plan ~ ^for å dø|for at dø|för att dö
      ^kverke|aflive|avlive ~ meg selv|mig selv|meg|sig selv
      $want|att|å|at|hon|han ~ ^$kill ! i spelet
      ^tar|tog ~ livet av mig|mitt liv|mit liv|livet mitt|livet av sig|sitt liv
      ^$want ~ dö|dø|inte leva|ikke leve|försvinna för alltid|forsvinne for alltid|aldrig vakna|inte finnas|slippa leva ! av|för|i spelet
      vill|orkar|orker|vil|kan|gider|har ~ inte|ikke ~ ^leva|leve|finnas|existera|leva längre|leve lenger|leve mere ! i|med|på|utan|uten|uden|här|så|som
      vill|orkar|vil|orker ~ inte|ikke ~ ^mer leva|leva mer|leve mer|leve mere|leva längre|leve lenger
      ^somna|sovna|falde i søvn|somne ~ aldrig|inte|aldri|ikke ~ vakna|våkne|vågne
      ^inget|ingen|ingenting|finns inte någon|intet ~ mening|anledning|grunn|grund ~ leva|leve|livet|fortsätta
      ^utan mig|uten meg|uden mig ~ bättre|bedre|lättare|lettere|lugn*
      ^bättre|bedre|lättare|lettere ~ utan mig|uten meg|uden mig|om jag försvann|om jag inte fanns|om jag var borta|om jag var död|hvis jeg forsvant|hvis jeg ikke var|hvis jeg var død|når jag är borta
      ^skär|skar|skärit|skjærer|skar|skærer|rispa* + mig|meg|mig själv|i armen|på armen ! när jag lagar|på papper|i fingret
      ^skära|skjære|skære ~ mig|meg ~ igen|låren|armen|armarna|handled*|dölj*|skjul*
      ^avskedsbrev|avskjedsbrev|tagit farväl|sagt farväl|sagt hejdå till alla|tatt farvel|taget afsked ~ skriv*|skrev*|alla|ikväll|förlåt|ta hand|alle
      ^tabletter|tabletterna|piller|pillerna|rep ~ svalt|tagit alla|tog alla|räcker|sparat|samlat|dö|dø|färdig*|alle
      svalt|tagit|tog|spist|slukt ~ ^alla tabletter|hela burken|alla pillren|alle pillene|hele glasset
      står|sitter|är|er ~ ^bron|taket|spåret|räls*|balkongen|broen|taget|sporet ~ hopp*|hoppa|hoppe|springe|springa
      hoppa|hoppe|springe ~ ^från bron|från taket|framför tåget|fra broen|foran toget|ut fra`,
    unsure: `
      självmord*|selvmord*|självskad*|selvskad*|suicid*
      orkar inte mer|orker ikke mer|orker ikke mere|hatar mitt liv|hatar mig själv|hader mig selv|hater meg selv|är en börda|er en byrde|vill försvinna|har bestämt mig nu|ta hand om katten|ta hand om hunden`,
    fiction:
      "förebygg*|utbildning|roman|karaktär*|novell|film*|sång*|låt|dikt|översätt*|pjäs|elev*|patient*|process*|spelet|lagar mat|serien|statistik*|bok*",
  },
  {
    language: "uk",
    letters: "а-яєіїґ'",
    classes: {
      want: "хочу|хотів би|хотіла б|хочеться|мрію|думаю|планую|збираюся|збираюсь|вирішив|вирішила|краще б|каже що|хоче|погрожує|намагався|намагалася|боюся",
      kill: "вбити|убити|повісити|зарізати|отруїти|застрелити|порізати|покалічити|щось зробити|заподіяти",
    },
    certain: `
      ^голос*|голоси ~ наказу*|каже|кажуть|шепоч* ~ стриб*|вбий|вийти на дах|себе|помер*
      краще б ~ мене|я ~ ^не було|не народж*|взагалі не було|не існувал*
      ^наковталася|наковтався|випила|випив|ковтну* ~ таблеток|таблетки|пігулок|снодійного
      ^випилюсь|випилюся|самовипилюсь|роскомнадзор
      думаю|думав|думала|планую|міркую ~ ^про суїцид|про самогубство|про смерть
      $want ~ себе|собі ~ ^$kill ! у грі
      $want ~ ^$kill ~ себе|собі
      ^вб'ю|уб'ю|ріжу|різала|різав|порізав|порізала|калічу + себе|собі вени|собі руки|руки
      знову|опять ~ ^порізала|порізав|різала|різав ~ себе|руки|руку
      повішуся|повішусь|застрелюся|застрелюсь|отруюся|отруюсь|втоплюся|втоплюсь
      ^накласти|накладе|накладу|наклав|наклала ~ на себе руки|руки на себе
      ^покінчити|покінчу|покінчив|покінчила|покінчить ~ з собою|із собою|з життям|життя
      $want ~ ^померти|вмерти|здохнути|не жити|не існувати|зникнути назавжди|не прокинутися|не прокидатися|не прокинутись ! від|з
      ^заснути|заснула|заснув|лягти спати ~ не|ніколи ~ прокин*|прокид*
      не|більше не|немає|нема ~ хочу|хочеться|можу|бачу сенсу|сил ~ ^жити|існувати|прокидатися|більше жити ! в|у|з|на|тут|без|так|як|разом
      ^втомився|втомилася|набридло ~ жити|від життя
      немає|нема|не бачу|втратив|втратила ~ ^сенсу|сенс|причин* ~ жити|життя|далі
      ^без мене ~ краще|легше|спокійніше|щасливіш*
      ^краще|легше|спокійніше ~ без мене|якби мене|якщо мене не|якщо я помру|якби я зник*
      ^завтра|сьогодні|скоро ~ мене ~ не буде|не стане
      ^попрощався|попрощалася|прощавайте|прощальн* ~ завтра|сьогодні|не буде|пробачте|вибачте|мене
      ^таблетки|пігулки|снодійне|мотузк* ~ вистачить|випила|випив|накопич*|померти|купив|купила|всі
      стою|стоїть|сиджу|сидить ~ ^мосту|даху|підвіконні|краю|коліях ~ стриб*`,
    unsure: `
      суїцид*|самогубств*|самоушкоджен*
      більше не можу|ненавиджу себе|ненавиджу своє життя|я тягар|усе марно|все марно|хочу зникнути`,
    fiction:
      "профілактик*|тренінг|роман|герой|геро*|персонаж*|оповідан*|фільм*|пісн*|вірш*|переклад*|п'єс*|пацієнт*|процес|грі|гра|статистик*|книг*",
  },
  {
    language: "hu",
    classes: {
      want: "akarok|akar|szeretnék|szeretnek|akartam|tervezem|gondolkodom|gondolok|készülök|bárcsak|megpróbáltam|fogom|azt írta|azt mondta",
    },
    certain: `
      ^felköti|felkötöm|kinyírom|kinyírja|megölöm ~ magam|magát|magamat
      magam|magát ~ ^felkötöm|felköti|kinyírom|megölöm
      ^hangok*|hang ~ mondj*|suttog*|parancsol* ~ ugor*|feküdj*|öld|haljak|sínek*
      ^mire ezt olvas* ~ nem leszek|már nem
      bárcsak|jobb lenne ~ ^nem ébrednék|fel se ébrednék|nem ébrednék fel
      gondolok|gondolkodom|tervezem|fontolgatom ~ ^öngyilkosság*
      ^megölöm|megölni|felakasztom|felakasztani|felvágom|felvágni|lelőni|lelövöm|mérgezni ~ magam|magamat|magát|az ereimet ! játékban
      ^végzek|végezni|végez ~ magammal|magával
      ^véget ~ vetek|vetni|vet ~ életemnek|az életemnek|életének|az életének|mindennek
      ^véget vet az életének|véget vetek az életemnek|eldobom az életem|eldobja az életét|öngyilkos leszek|öngyilkos akarok|öngyilkos lesz
      akarok|szeretnék|jobb lenne|bárcsak|vágyom ~ ^meghalni|meghalnék|nem élni|eltűnni örökre|nem létezni|többé nem lenni ! nevettemben
      nem|már nem|többé nem|nincs ~ akarok|bírok|tudok|kedvem|erőm|értelme ~ ^élni|tovább élni|létezni|felébredni ! itt|vele|benne|nélküle
      ^elaludni|elaludnék|elalszom|aludni ~ nem|soha|sose ~ ébred*|felkel*
      nincs|semmi|elvesz* ~ ^értelme|értelmét ~ élet*|élni|tovább
      ^nélkülem ~ jobb*|könnyebb*|nyugod*|boldog*
      ^jobb|könnyebb ~ nélkülem|ha nem lennék|ha meghalnék|ha eltűnnék
      ^vagdosom|vagdosni|vágom|megvágtam|vagdostam ~ magam|magamat|a karom|a karomat|a combom ! főzés
      ^holnap*|ma este|ma éjjel ~ nem leszek|már nem leszek|vége lesz|mindennek vége
      mindent ~ ^elrendeztem|elintéztem ~ nem leszek|bocsássa*|holnap*|vége
      ^búcsúlevel*|elbúcsúz* ~ megír*|írtam|mindenki*|bocsáss*|ma|este
      ^gyógyszert|tablettát|tablettákat|gyógyszereket|kötelet ~ bevettem|beveszem|összegyűjt*|elég|meghal*|mind
      állok|áll|ülök|ül ~ ^hídon|tetőn|párkányon|síneken|ablakban ~ ugr*|leugr*`,
    unsure: `
      öngyilkos*|önsért*|önkárosít*
      nem bírom tovább|nem bírom már|gyűlölöm magam|utálom az életem|teher vagyok|el akarok tűnni|belefáradtam mindenbe`,
    fiction:
      "megelőz*|képzés|regény*|szereplő*|novell*|film*|dal*|vers*|fordít*|színdarab*|beteg*|folyamat*|játék*|főzés*|statisztik*|könyv*",
  },
  {
    language: "ro",
    classes: {
      want: "vreau|aș vrea|as vrea|mi-aș dori|vrea|plănuiesc|mă gândesc|am de gând|o să|voi|am încercat|zice că|spune că|strigă că|amenință",
    },
    certain: `
      ^capăt ~ zilelor|vieții|vieții mele
      ^am strâns|strâns ~ pastile|pastilele|medicamente*
      ^voce|voci|vocile ~ spun|spune|șoptesc|ordonă ~ sar|omor|mor|arunc
      ^când veți citi|când citiți ~ departe|nu voi mai|nu mai sunt|iertați-mă
      să|mă|se|sa|ma ~ ^sinucid|sinucidă|sinucide|omor|omoare|spânzur|spânzure|otrăvesc|împușc|înec ! în joc|de râs
      $want ~ ^să mor|să nu mai trăiesc|să nu mai exist|să dispar pentru totdeauna|să nu mă mai trezesc|să nu mă trezesc|să moară ! de râs|de foame|de somn
      nu mai|nu ~ vreau|pot|am chef|are rost|suport ~ ^să trăiesc|să mai trăiesc|trăi|să exist ! în|cu|la|fără|aici|așa
      ^adorm|adoarmă|dorm ~ nu ~ trezesc|trezească|scol
      ^îmi iau|îmi pun|și-a pus|își ia|mi-am luat|pun capăt|pune capăt ~ viața|zilele|capăt zilelor|vieții
      nu|niciun|fără|pierdut ~ ^rost|sens|motiv ~ trăiesc|trăi|viața|vieții|continui
      ^fără mine ~ mai bine|mai ușor|liniște*|fericiți
      ^mai bine|mai ușor ~ fără mine|dacă n-aș fi|dacă nu aș fi|dacă aș muri|dacă dispar
      ^m-am tăiat|mă tai|tăiat pe|mă crestez ~ din nou|iar|mâini|brațe|vene|coapse|nimeni|ascund ! la deget|gătit|la bucătărie
      ^rămas bun|scrisoare de adio|scrisori de adio|adio tuturor ~ tuturor|de la toți|am scris|diseară|iertați*|mi-am luat|azi
      ^pastile|pastilele|somnifere|frânghi*|medicamente* ~ am luat|am înghițit|toate|destule|am strâns|să mor|pregătit*
      stau|stă|sunt|e|este ~ ^pod|podul|acoperiș|pervaz|bloc|șine|balcon ~ sar|sară|arunc|aruncă|arunce
      ^mă arunc|se aruncă|să sar|sar de pe ~ pod|bloc|etaj|tren|geam|fereastră|acoperiș|ce îi`,
    unsure: `
      sinucid*|sinucigaș*|automutil*
      nu mai pot|nu mai suport|mă urăsc|îmi urăsc viața|sunt o povară|vreau să dispar|nu mai am putere`,
    fiction:
      "prevenire*|curs|roman*|personaj*|povest*|film*|cântec*|poezi*|traduc*|piesă*|pacient*|proces*|joc*|gătit|statistic*|carte*",
  },
  {
    language: "el",
    letters: "α-ω",
    classes: {
      want: "θέλω|θα ήθελα|ήθελα|σκέφτομαι|σχεδιάζω|σκοπεύω|εύχομαι|μακάρι|λέει ότι|είπε ότι|απειλεί|προσπάθησα|θέλει",
    },
    certain: `
      ^φωνή|φωνές ~ λέει|λένε|διατάζει|διατάζουν ~ πηδ*|σκοτω*|κακό|πεθάν*
      ^βάρος ~ όλους|όλων ~ καλύτερα|λείπω
      ^χάπια ~ μπροστά|κουτιά|κουτί|μάζεψα|όλα
      μακάρι|εύχομαι ~ μην|μη ~ ^ξυπνήσω|ξυπνούσα|ξυπνήσω ποτέ
      ^καλύτερα ~ να λείπω|χωρίς μένα|χωρίς εμένα
      να|θα ~ ^αυτοκτονήσω|αυτοκτονήσει|σκοτωθώ|κρεμαστώ|κρεμαστεί|δηλητηριαστώ|φουντάρω|φουντάρει ! στο παιχνίδι
      ^σκοτώσω|σκοτώνω|βλάψω|κόψω|τραυματίσω|πληγώνω + τον εαυτό
      $want ~ ^να πεθάνω|να μην υπάρχω|να μη ζω|να χαθώ για πάντα|να μην ξυπνήσω|να εξαφανιστώ για πάντα|να πεθάνει ! στα γέλια|από
      δεν|δε|δεν μπορώ ~ θέλω|αντέχω|μπορώ|έχω λόγο|αξίζει ~ ^να ζω|να ζήσω|να υπάρχω|να ξυπνάω ! εδώ|με|στην|στο|στη|χωρίς|έτσι|μαζί|σε
      ^κοιμηθώ|κοιμάμαι|κοιμόμουν ~ μην|μη|ποτέ ~ ξυπν*
      ^δώσω|δώσει|δίνω|βάλω|βάλει ~ τέλος ~ ζωή*|όλα
      ^τέλος στη ζωή|τέλος στη ζωή μου|τέλος στη ζωή του|τέλος στη ζωή της
      δεν|κανένα|καμία|έχασ* ~ ^νόημα|λόγος|λόγο ~ ζωή|ζω|ζήσω|συνεχίσω
      ^χωρίς εμένα ~ καλύτερα|πιο εύκολα|ήσυχοι
      ^καλύτερα ~ χωρίς εμένα|αν δεν υπήρχα|αν έφευγα|αν πέθαινα|να είχα πεθάνει|να μην είχα γεννηθεί
      ^χαρακώνομαι|χαρακώνω|χαρακώθηκα|κόβομαι|κόβω τα χέρια|αυτοτραυματίζομαι
      ^αποχαιρέτησα|αποχαιρετιστήριο|αποχαιρετώ|γράμμα αποχαιρετισμού ~ όλους|τους δικούς|ως εδώ|απόψε|συγγνώμη|έγραψα|γράμμα
      ^χάπια|χάπι|σχοινί|υπνωτικά ~ όλα|αρκετά|πήρα|μάζεψα|πεθάνω|έτοιμ*
      είμαι|στέκομαι|στέκεται|είναι|κάθομαι ~ ^γέφυρα|ταράτσα|μπαλκόνι|περβάζι|γραμμές ~ πηδ*|πέσ*|βουτ*`,
    unsure: `
      αυτοκτον*|αυτοτραυματ*
      δεν αντέχω άλλο|μισώ τον εαυτό μου|μισώ τη ζωή μου|είμαι βάρος|θέλω να εξαφανιστώ|ως εδώ ήταν`,
    fiction:
      "πρόληψ*|σεμινάρι*|μυθιστόρημα*|χαρακτήρα*|ήρωα*|ταινί*|τραγούδι*|ποίημα*|μετάφρασ*|μετέφρασ*|ασθεν*|διεργασ*|παιχνίδι*|μαγείρεμα|στατιστικ*|βιβλί*",
  },
  {
    language: "id",
    classes: {
      want: "mau|ingin|pengen|pengin|pingin|kepengen|berniat|rencana|berencana|kepikiran|terpikir|nak|hendak|mencoba|katanya|pamit",
    },
    certain: `
      ^suara|suara-suara ~ menyuruh|bilang|bisik* ~ lompat|melompat|mati|bunuh|sakiti
      ^self harm|selfharm ~ lagi|semalam|tadi
      ^sayatan|silet ~ lengan*|tangan*|paha*|penuh
      ^obatnya|obat|pil ~ kukumpul*|dikumpul*|sudah kukumpulkan|numpuk
      lebih bahagia|lebih tenang|lebih baik ~ ^aku nggak pernah ada|aku gak pernah ada|aku tidak pernah ada|aku nggak ada|tanpa aku
      besok|nanti malam|malam ini ~ aku|saya ~ ^sudah tidak di dunia|sudah gak ada|udah gak ada|sudah tiada|nggak ada lagi
      ambil|cabut ~ ^nyawaku|nyawa saya
      $want ~ ^bunuh diri|gantung diri|mengakhiri hidup|akhiri hidup|mati aja|mati saja|menghabisi nyawa|mengakhiri semuanya ! di game|ketawa|ngakak|nonton
      aku|saya|gue|gua|gw|dia|temanku|temenku ~ ^bunuh diri|gantung diri|akhiri hidup|mengakhiri hidup
      ^$want ~ mati|menghilang selamanya|hilang selamanya|tidak bangun lagi|nggak bangun lagi|gak bangun ! kutu|gaya|lampu|rasa
      ga|gak|nggak|enggak|tidak|tak|udah ga|udah gak|sudah tidak ~ mau|ingin|pengen|sanggup|kuat|ada gunanya ~ ^hidup|hidup lagi ! di|sama|dengan|sendiri|seperti
      ^tidur ~ ga|gak|nggak|tidak|tak ~ bangun|bangun-bangun|terbangun
      ^capek|lelah|cape|bosan ~ hidup ! di|sama
      hidup*|hidupku ~ ^ga ada artinya|gak ada artinya|tidak ada artinya|tidak berarti|nggak ada gunanya|tak bermakna|sia-sia
      ^tanpa aku|tanpa saya|tanpa gue|kalau aku gak ada|kalau aku nggak ada|kalau aku tidak ada|kalau aku mati ~ lebih baik|lebih tenang|bahagia|tenang|senang
      lebih baik ~ ^aku mati|saya mati|aku gak ada|aku tidak ada|tanpa aku|mati saja
      ^nyilet|menyilet|sayat|menyayat|iris|mengiris ~ tangan*|lengan*|paha*|pergelangan|nadi ! masak|bawang
      ^surat perpisahan|surat terakhir|suratnya|selamat tinggal semua ~ tulis|kutulis|sudah|buat|untuk|maaf
      minum|menelan|telan|kumpulkan|punya ~ ^obat tidur|semua obat|semua pil|satu botol obat|racun ~ mati|semua|cukup|habis|malam
      ^lompat|loncat|terjun ~ jembatan|gedung|atap|lantai|kereta ! tali|bungee`,
    unsure: `
      bunuh diri|menyakiti diri|melukai diri
      gak kuat lagi|nggak kuat lagi|tidak kuat lagi|benci diri sendiri|benci hidupku|aku beban|jadi beban|pengen hilang`,
    fiction:
      "pencegahan|pelatihan|novel|tokoh|cerita|cerpen|film|lagu|lirik|puisi|terjemah*|drama|pasien|proses|game|masak|statistik|buku",
  },
];
