import type { LanguagePhrases } from "./compile-phrases.ts";

export const italianAndPortuguesePhrases: readonly LanguagePhrases[] = [
  {
    language: "it",
    classes: {
      want: "voglio|vorrei|volevo|desidero|spero|preferirei|preferisco|voglia|penso|pensando|sto per|magari|bisogno|intenzione|pensato|provato|idea|pensiero",
      kill: "uccidermi|ammazzarmi|suicidarmi|impiccarmi|togliermi la vita|farla finita|tagliarmi le vene|buttarmi|gettarmi|spararmi|avvelenarmi|farmi del male|farmi fuori|lanciarmi|tagliarmi",
    },
    certain: `
      uccidermi|suicidarmi|impiccarmi|togliermi la vita|tagliarmi le vene|ammazzarmi|farmi fuori|spararmi un colpo|spararmi in testa ! di lavoro|dal ridere|di risate|di fatica|in palestra
      $want|riesco|smettere|ricominciato|ripreso|tornat* ~ ^$kill ! con|i capelli|le unghie|in piscina|la frangia
      voglio|vorrei|penso ~ ^farla finita ! con
      ^farla finita ~ con la vita|con tutto|per sempre|stanotte|stasera
      mi|m + ^uccido|ammazzo|suicido|impicco|tolgo la vita|uccidero|ammazzero|suicidero|butto giu|butto sotto ! di lavoro|dal|in palestra
      mi ~ ^voglio|vorrei ~ uccidere|ammazzare|suicidare|impiccare|togliere la vita|buttare|fare del male|tagliare
      ^$want ~ morire|essere morto|essere morta|sparire per sempre|non esistere|smettere di esistere|non svegliarmi|scomparire per sempre|non esserci|smettere di vivere ! di|dal|per|dalla|in
      addormentar*|dormire|addormento ~ non|mai ~ ^svegliar*|piu svegliarmi|risvegliar*
      non ~ ^voglio|vorrei|riesco|ce la faccio ~ vivere|esistere|esserci|svegliarmi|restare in vita|stare al mondo|continuare a vivere|vivere piu|piu vivere ! a|in|con|senza|nel|qui|da|cosi|come|vicino|al|insieme
      non ho|nessuna|piu ~ ^voglia di vivere ! in|a|con
      ^stanc*|stufo|stufa ~ di vivere|della vita|di esistere|di questa vita|di stare al mondo ! in|a|con
      non|nessun*|senza|nulla|niente|perso|che ~ ^senso|motivo|ragione|scopo|speranza|voglia ~ vivere|alla vita|andare avanti|mia vita|esistere|continuare|nella vita|la vita ! in|a|con
      vita|vivere|esistenza ~ non ha|non vale|non merita|e ~ ^senso|la pena|piu niente|di essere vissuta|inutile
      niente|nulla ~ ^per cui vivere|per cui valga la pena|che mi trattenga|mi lega
      senza di me|senza me ~ ^meglio|felici|felice|piu facile|piu leggeri|sollev*
      ^meglio|felici|felice|piu facile|sollevat*|tranquilli ~ senza di me|senza me|se non ci fossi|se fossi mort*|se morissi|se sparissi|se io non|quando non ci saro|se non esistessi
      ^vorrei|magari|preferirei|fossi ~ fossi morto|fossi morta|essere morto|essere morta|non essere mai nat*|mai nato|mai nata|non esistere|non essere nat*
      ^fine|termine ~ alla mia vita|alla mia esistenza|alle mie sofferenze|a tutto
      mettere fine alla mia vita|porre fine alla mia vita|togliermi di mezzo
      pens*|pianific*|idee|idea|tentat*|pensieri|considero ~ ^suicidio|suicidarmi|suicidi|suicide|suicida|alla morte|morte ! squad
      ho|mie|miei|sono|sento ~ ^pensieri suicidi|idee suicide|pensieri suicidari|tendenze suicide|istinti suicidi|pensieri di morte
      ^leggerete|leggerai|leggete|leggera|leggi|troverete ~ non ci saro|saro mort*|saro gia|non saro piu|piu|me ne saro
      questo e|questa e|mio|mia ~ ^addio|ultimo messaggio|ultima lettera|lettera di addio|lettera d addio ~ perdon*|scus*|famiglia|tutti|non cercat*|mamma
      scritto|scrivo|lasciato ~ ^lettera di addio|lettera d addio|lettere di addio|lettere d addio|biglietto d addio ! colleg*
      ^addio ~ perdon*|non ce la faccio|per sempre|scusate|vi voglio bene|a tutti ! al celibato|al nubilato
      ^pillole|pastiglie|sonniferi|compresse|corda|pistola|lametta|lamette|farmaci|tachipirina ~ abbastanza|pront*|finita|morire|stasera|tutte|basteranno|ingoiato
      preso|ingoiato|prendere|ingoiare ~ tutte|flacone|scatola|overdose|troppe|intera|tutti ~ ^pillole|pastiglie|sonniferi|compresse|farmaci
      quante|quanti|quanta|che dose ~ ^pillole|pastiglie|sonniferi|compresse|paracetamolo|tachipirina|insulina ~ morire|mortale|uccidermi|letale|ammazzarmi
      ^senza dolore|indolore|piu veloce|senza soffrire|meno doloros* ~ morire|suicidarmi|uccidermi|morte|andarsene|farla finita
      ^morire|suicidarmi|uccidermi|togliermi la vita ~ senza dolore|senza soffrire|in fretta
      sono|seduto|seduta|in piedi ~ ^ponte|tetto|balcone|binari|cornicione|finestra ~ saltare|buttarmi|salto|coraggio|giu|buttare
      ^buttarmi|gettarmi|lanciarmi|saltare|butto|salto|buttare ~ ponte|tetto|balcone|treno|metro|finestra|binari|palazzo
      mi + ^taglio|faccio del male|autolesiono|ferisco|brucio|sono tagliat*|ripreso a tagliarmi|graffio ~ braccia|polsi|sentire|apposta|notte|nascosto|ancora|cosce|di nuovo|dolore|sera
      mi + ^faccio del male|autolesiono|taglio le braccia|taglio i polsi|taglio di nascosto
      nessuno ~ ^mancher*|sentirebbe|accorger*|noter*|piangere*|importerebbe ~ mort*|mancanza|sparis*|morissi|me|se
      non mancherei a nessuno|nessuno sentirebbe la mia mancanza|nessuno sentira la mia mancanza
      non ~ ^merito ~ vivere|di esistere|di stare al mondo
      paura|temo|fido|spaventa* ~ ^farmi|me stess*|di quello che potrei|i miei pensieri|gesto|sciocchezza|fare qualcosa|dei miei ~ male|qualcosa|estremo|fare|sol*|stanotte|stasera|pensieri|piu
      ^paura di me stesso|paura di me stessa|paura di farmi|non mi fido di me stesso|non mi fido di me stessa|gesto estremo|gesto folle|paura di fare una sciocchezza|pericolo per me stess*
      ^qualcosa di brutto|una sciocchezza|una pazzia|gesto estremo ~ paura|fare|me|stanotte|stasera
      faccio|fare|facessi|farei ~ ^del male ~ a me stess*|da sol*
      voci|voce|testa ~ ^dicono|dice|ordina* ~ uccid*|saltare|morire|male|ammazz*
      stanotte|stasera|domani|oggi ~ ^la faccio finita|finisce tutto|lo faccio|lo faro|metto fine|sara tutto finito|pongo fine
      piano|data|giorno|modo|posto|metodo ~ ^morire|farla finita|la mia morte|suicid*|uccidermi|togliermi|ammazzarmi
      ^pillole|pastiglie|sonniferi|compresse|farmaci ~ da parte|accumul*|conserv*|nascost*|raccolt*|prepar*|risparmi*|davanti
      accumul*|conserv*|raccolt*|nascost*|messo da parte ~ ^pillole|pastiglie|sonniferi|compresse|farmaci
      ^corda|lamette|lametta|pistola|cappio ~ compra*|pront*|garage|cantina|ho ~ stasera|stanotte|pront*|collo|fine|impicc*|garage|soffitta ! arrampicata
      scelto|so|deciso ~ ^ponte|palazzo|treno|binari|tetto ~ salt*|butt*|gett*|lanc*
      ^fino a sanguinare|a sangue|finche non sanguin* ~ gratt*|tagli*|mi|graffi*
      ^lametta|lamette|accendino|coltello|taglierino|sigaretta|sigarette ~ bracci*|cosce|polsi|pelle|gambe|coscia
      tagli*|taglio|cicatrici|bruci*|bruciature ~ ^braccia|polsi|cosce|avambracci|gambe|braccio|polso|pelle ~ di nuovo|nascond*|ancora|ieri|mi|ricominci*|maniche|ripreso ! capelli
      ^la faccio finita|la faro finita|farla finita una volta per tutte ! con`,
    unsure: `
      suicid*|autolesion*|farmi del male|farla finita
      non ce la faccio piu|non ne posso piu|odio la mia vita|mi odio|voglio sparire|sono un peso|senza via d uscita|basta non ce la faccio|non ho piu forze`,
    fiction:
      "prevenzione|corso|formazione|seminario|romanzo|personaggio|racconto|film|canzone|testo di|poesia|traduci|traduzione|dramma|alunn*|student*|pazient*|processo|rasoio|radendomi|cucina|cucinando|gioco|videogioco|protagonista",
  },
  {
    language: "pt",
    classes: {
      want: "quero|queria|gostava|gostaria|desejo|preferia|prefiro|vontade|penso|pensar|pensando|vou|tomara|espero|apetece|pensado|tentei|tentado|ideia|medo|planejo|planeio",
      kill: "me matar|matar me|suicidar me|me suicidar|enforcar me|me enforcar|tirar a minha vida|tirar minha vida|tirar a propria vida|acabar com a minha vida|acabar com minha vida|me jogar|me atirar|atirar me|cortar os pulsos|me cortar|cortar me|me machucar|magoar me|me ferir|me magoar|dar um tiro na cabeca",
    },
    certain: `
      $want|em|de|a|voltei|parar|penso|pensei ~ ^$kill ! de rir|de trabalhar|a estudar|o cabelo|as unhas|para|a trabalhar|na piscina|no sofa|de tanto
      me matar|matar me|suicidar me|me suicidar|enforcar me|me enforcar|tirar a minha vida|tirar a minha propria vida|cortar os pulsos ! de rir|de trabalhar|de estudar|a trabalhar|de tanto|para
      mato me|suicido me|me suicido|vou me matar|vou matar me|enforco me ! de|para|a
      $want ~ ^morrer|estar morto|estar morta|sumir para sempre|desaparecer para sempre|nao existir|deixar de existir|deixar de viver|nao acordar|nunca mais acordar|nao estar aqui ! de|por|em|do|da|na
      adormecer|dormir|deitar ~ nao|nunca|sem ~ ^acordar|acordasse
      nao ~ ^quero|desejo|consigo|aguento|queria ~ viver|existir|estar vivo|estar viva|acordar|continuar vivo|continuar viva|continuar a viver|estar aqui|estar neste mundo|seguir vivendo ! em|com|sem|no|na|aqui|assim|como|perto|sozinh*|num|numa|junto|de|ai
      ^cansad*|fart*|cansei|saturad* ~ de viver|da vida|de existir|desta vida|dessa vida|de estar vivo|de estar viva ! em|com|no|na
      nao|sem|nenhum*|nada|perdi|para que|qual ~ ^sentido|razao|motivo|vontade|motivos|razoes|porque|proposito ~ viver|na vida|continuar vivo|continuar viva|a vida|continuar|minha vida|existir ! em|com|no|na
      vida|viver|existencia ~ nao ~ ^sentido|vale a pena|vale mais nada|vale nada|merece
      nada ~ ^por que viver|pelo que viver|que me prenda|para viver|me prende
      sem mim|sem eu ~ ^melhor*|felizes|feliz|mais facil|aliviad*
      ^melhor|felizes|feliz|mais facil|aliviad* ~ sem mim|se eu nao|se eu morresse|se eu sumisse|se eu desaparec*|quando eu nao|se eu estivesse mort*|se eu nao existisse
      queria|gostava|gostaria|preferia|tomara|quem me dera ~ ^estar morto|estar morta|nunca ter nascido|nao ter nascido|nao existir|morrer de uma vez|estivesse mort*|ter morrido
      ^fim|termo|cabo ~ a minha vida|na minha vida|ao meu sofrimento|a minha existencia|a tudo isto|a tudo isso
      acabar com a minha vida|por fim a minha vida|acabar com tudo|acabar com a vida|dar cabo de mim
      pens*|planej*|plane*|ideias|tentei|tentativa|considero|pensamentos ~ ^suicidio|suicida|suicidas|me suicidar|suicidar me|na morte|morte ! esquadrao
      tenho|meus|sou|sinto|estou|minhas ~ ^pensamentos suicidas|ideias suicidas|ideacao suicida|tendencias suicidas|suicida ! paciente*
      ^lerem|leres|lerdes|ler|leem|encontrarem|estiver lendo|estiverem lendo ~ isto|isso|mensagem|carta|bilhete ~ terei|partido|ja nao|nao estarei|estarei mort*|nao vou estar|vou estar mort*|ido|aqui
      esta e|este e|isto e|essa e|minha|meu ~ ^despedida|ultima mensagem|ultima carta|carta de despedida|bilhete de despedida|adeus ~ perdo*|desculp*|familia|todos|nao me procur*|cuid*
      escrevi|escrevo|deixei|escrever|deixo|escrevendo ~ ^carta de despedida|cartas de despedida|bilhete de despedida|carta de suicidio ! coleg*|trabalho
      ^adeus ~ perdo*|nao aguento|para sempre|desculp*|amo voces|a todos
      ^comprimidos|remedios|pilulas|corda|arma|lamina|soniferos|paracetamol ~ suficiente*|pront*|guardad*|juntei|morrer|acabar|hoje|todos|engolir|separei
      tomei|engoli|tomar|engolir ~ todos|frasco|caixa|cartela|overdose|muitos|inteira|inteiro ~ ^comprimidos|remedios|pilulas|soniferos
      quantos|quantas|que dose|quanto ~ ^comprimidos|remedios|pilulas|paracetamol|insulina ~ morrer|mortal|me matar|matar me|letal
      sem dor|indolor|mais rapid*|sem sofrer|menos doloros* ~ ^morrer|suicid*|me matar|morte|matar me|acabar
      ^morrer|me matar|matar me|suicid* ~ sem dor|sem sofrer|sem doer|rapidamente
      estou|sentad*|parad*|de pe ~ ^ponte|telhado|varanda|janela|linha do comboio|parapeito|predio|terraco ~ saltar|pular|atirar|jogar|coragem|salto
      ^saltar|pular|atirar me|me atirar|me jogar|jogar me|me mandar ~ ponte|telhado|varanda|janela|comboio|trem|metro|predio|linha ! de bungee|de paraquedas
      me + ^corto|machuco|cortei|automutilo|firo|cortando|mutilo|queimo ~ bracos|pulsos|sentir|proposito|noite|escondid*|de novo|outra vez|pernas|aliviar|novamente
      ^corto|machuco|magoo|cortei + me ~ bracos|pulsos|sentir|proposito|noite|escondid*|de novo|outra vez|pernas|aliviar|novamente
      corto me|automutilo me|me automutilo|magoo me de proposito|me corto de proposito ! a cozinhar|cozinhando|barbe*|a fazer
      ^ninguem ~ sentir*|falta|notar*|perceber*|chorar* ~ falta|morr*|sumi*|desaparec*|de mim
      ninguem vai sentir a minha falta|ninguem sentiria minha falta|nao faria falta a ninguem|nao faco falta a ninguem
      nao ~ ^mereco ~ viver|estar viv*
      medo|receio|confio|assustad* ~ ^me fazer|fazer me|mim mesm*|mim propri*|uma loucura|uma besteira|uma asneira|do que posso|do que eu posso|do que possa|meus pensamentos|fazer mal|fazer alguma ~ mal|algo|alguma|fazer|sozinh*|noite|comigo
      ^medo de mim mesmo|medo de mim mesma|medo de mim propri*|nao confio em mim|medo de fazer uma|medo do que posso fazer|medo do que eu possa fazer|perigo para mim
      ^uma loucura|uma besteira|uma asneira|um disparate ~ medo|cometer|fazer|comigo
      fazer|cometer ~ ^uma loucura|uma besteira|uma asneira|um disparate ~ medo|hoje|noite|comigo
      fazer|faca ~ ^comigo mesmo|comigo mesma|mal a mim|contra mim ~ medo|hoje|noite|alguma
      alguma coisa|algo ~ ^comigo mesmo|comigo mesma|contra mim
      vozes|voz|cabeca ~ ^dizem|diz|manda* ~ matar|saltar|pular|morrer|machucar
      esta noite|hoje|amanha|hoje a noite ~ ^acabo com tudo|vou acabar com tudo|ponho fim|vou fazer isso|acaba tudo|vou embora para sempre|termino com tudo
      plano|data|dia|metodo|lugar|sitio ~ ^morrer|me matar|acabar com|minha morte|suicid*|tirar a minha|por fim
      ^comprimidos|remedios|pilulas|soniferos ~ guard*|junt*|acumul*|escond*|poup*|prepar*|frente
      guard*|junt*|junte*|acumul*|escond* ~ ^comprimidos|remedios|pilulas|soniferos
      ^corda|laminas|gilete|arma|navalha ~ compr*|pront*|garagem|tenho ~ hoje|pront*|pescoco|fim|enforc*|garagem|noite ! escalada
      escolhi|sei|decidi ~ ^ponte|predio|comboio|trem|viaduto ~ salt*|pul*|atir*|jog*
      ^ate sangrar|ate fazer sangue|ate sair sangue ~ arranh*|cort*|me|coc*
      ^gilete|lamina|laminas|isqueiro|estilete|cigarro|navalha ~ braco*|coxa*|pulso*|pele|perna*
      cort*|cicatrizes|queim* ~ ^bracos|pulsos|coxas|antebracos|braco|pernas|pele ~ de novo|outra vez|escond*|ontem|me|voltei|mangas|novamente ! cabelo`,
    unsure: `
      suicid*|automutil*|me machucar|magoar me
      nao aguento mais|nao consigo mais|odeio a minha vida|odeio minha vida|me odeio|quero sumir|quero desaparecer|sou um peso|sou um fardo|sem saida|nao tenho mais forcas|ja nao tenho forcas`,
    fiction:
      "prevencao|prevenir|formacao|curso|oficina|palestra|romance|personagem|conto|filme|musica|letra de|poema|traduz|traduza|traducao|peca de teatro|alun*|paciente*|processo|barbe*|cozinha|jogo|protagonista",
  },
];
