import type { LanguagePhrases } from "./compile-phrases.ts";

export const frenchAndSpanishPhrases: readonly LanguagePhrases[] = [
  {
    language: "fr",
    classes: {
      kill: "tuer|suicider|pendre|foutre en l air|flinguer|noyer|empoisonner|buter|jeter sous|jeter du|jeter d un|tirer une balle|ouvrir les veines|tailler les veines|supprimer|faire du mal|mutiler|scarifier|faire une connerie|couper les veines|oter la vie|donner la mort|faire mal expres|zigouiller",
      want: "veux|voudrais|voulais|aimerais|souhaite|souhaiterais|envie|vais|pense|penser|songe|prefere|prefererais|esp*|besoin|reve|pret|prete|hate|aurais",
    },
    certain: `
      je|j|de|a|vais|veux|envie|pense|vouloir|faut que ~ me|m + ^$kill ! de rire|a la tache|au travail
      je me|j me + ^suicide|tue|pends|scarifie|mutile|taillade|fous en l air|coupe les veines|suiciderai|tuerai ! au travail|a la tache|a faire|a expliquer|a te
      ^me suicider|me tuer ~ hesite|pense|peur|envie|tente
      je|j ~ ^$want ~ mourir|crever|etre mort|etre morte|disparaitre pour toujours|ne plus exister|ne plus etre la|m en aller pour toujours|en finir|ne plus me reveiller|ne jamais me reveiller ! de|d|avec|pour|dans
      envie ~ ^mourir|crever|en finir|disparaitre ! avec|de rire|de honte
      ^en finir ~ avec la vie|avec ma vie|une fois pour toutes|ce soir|avec tout|pour de bon
      m endormir|dormir|endormir|s endormir ~ plus|jamais ~ ^reveiller|reveille
      ^veux|voudrais|envie|peux ~ plus ~ vivre|exister|me reveiller|etre en vie|etre de ce monde ! a|en|au|avec|chez|dans|ici|seul|comme|ensemble|sous|sans|pres|loin|la
      ^fatigue*|marre|assez|lasse|ras le bol|epuise* ~ de vivre|de la vie|d exister|de cette vie|d etre en vie ! a|en|au|avec|chez|dans
      aucun*|pas|plus|rien|quoi bon|perdu|pourquoi ~ raison|sens|but|gout|interet|espoir|envie ~ ^vivre|a la vie|de vivre|continuer a vivre|exister|de rester en vie|a ma vie|a mon existence ! a|en|au|avec|chez|dans
      rien|plus rien ~ ^ne me retient|a quoi me raccrocher|qui me retienne|ne me rattache
      ^vie|existence ~ n a|ne vaut|n en vaut|est ~ aucun sens|plus de sens|pas la peine|plus la peine|insupportable|plus d etre vecue|pas d etre vecue|foutue|plus rien
      sans moi ~ ^mieux|heureux|heureuse|heureuses|plus facile|plus simple|plus leger|soulage*
      ^mieux|heureux|heureuse|heureuses|plus facile|plus tranquille*|soulage* ~ sans moi|si je n etais|si je mourais|si je disparaissais|si je n existais|si j etais mort|si j etais morte|quand je ne serai plus|si je n etais plus la
      je ~ ^voudrais|prefererais|aurais|aimerais ~ etre mort|etre morte|ne jamais etre ne|jamais ne|ne pas etre ne|n etre jamais ne|n etre jamais nee|pas exister|preferer mourir
      ^si seulement|j aurais ~ etais mort|etais morte|pas ne|pas nee|jamais ne|jamais nee
      ^fin ~ a mes jours|a ma vie|a mes souffrances|a mon existence
      mettre fin a mes jours|mettre fin a ma vie|m oter la vie|me donner la mort|attenter a ma vie|attenter a mes jours|mettre un terme a ma vie
      pense|penser|pensais|songe|songer|envisage|idees|pensees|tentative|tente|pensee|planifie|prevu ~ ^au suicide|suicide|suicidaire*|a la mort|mon suicide ! squad|dans
      idees|pensees|envies + ^suicidaires|noires ~ j|je|me|mes
      je|j|mes|me ~ ^suicidaire|suicidaires|idees suicidaires|pensees suicidaires|idees noires ! patient*|eleve*|personne*
      ^lirez|lisez|lira|lis|liras|trouverez|lisent ~ je ~ plus la|mort|morte|parti|partie|plus de ce monde|plus|loin
      mes|ma|mon|une ~ ^lettre d adieu|lettres d adieu|adieux|derniers mots|dernier message ~ j|je|ecrit|famille|tous|pardon
      ^adieu|adieux ~ pardon|je n en peux|pardonnez|je pars|je vous aime|a tous ! collegue|equipe
      j ~ ecrit|prepare ~ ^lettre d adieu|lettres d adieu ! collegue
      ^cachets|somniferes|comprimes|medicaments|pilules|corde|lames|arme|boite ~ assez|prete*|pour en finir|en finir|mourir|avale*|tous|ce soir|quitter
      avale*|pris|prendre|avaler ~ tous|toute|boite|plaquette|trop de ~ ^cachets|somniferes|comprimes|medicaments|pilules
      combien ~ ^cachets|comprimes|paracetamol|somniferes|pilules|doliprane ~ mourir|mortel*|en finir|me tuer
      ^sans douleur|sans souffrir|plus rapide|indolore|moins douloureux*|douce ~ mourir|mort|en finir|suicider|me tuer|partir pour toujours
      mourir|en finir|suicider|partir ~ ^sans douleur|sans souffrir|vite et bien
      suis|monte|assis*|debout|au bord ~ ^pont|toit|balcon|rails|falaise|fenetre ~ sauter|vide|jeter|courage
      ^sauter|jeter|sauterais|saute|me jette ~ pont|toit|train|metro|balcon|fenetre|vide|rails|immeuble
      je me|m + ^coupe|scarifie|mutile|fais du mal|taillade|brule|griffe|ouvre les bras|entaille ! en cuisin*|en me rasant|les cheveux|les ongles|la parole
      je ~ me ~ coup*|scarifi*|mutil*|fais|fait|faire du mal|les bras|les veines|expres ~ ^bras|soulager|sentir|expres|nouveau|nuit|soir|poignets|cuisses|encore|du mal
      ^recommence* ~ me couper|me scarifier|a me faire du mal|me mutiler
      personne ~ ^ne me regrettera|ne me regretterait|remarquera*|remarquerait|manquerai*|pleurerait|ne me pleurera|verrait ~ disparais*|mort*|meurs|mourais|absence|pas|ne me
      je ne manquerai a personne|je ne manquerais a personne|personne ne me regretterait|personne ne me regrettera
      je ~ ^merite ~ pas|plus ~ de vivre|vivre
      peur|crains|confiance ~ de|en|que ~ ^me faire|moi meme|m en prendre|mes pensees|passer a l acte|ce que je pourrais ~ mal|quelque chose|faire|seule|seul|soir|nuit|plus ! confiance en
      ^peur de moi meme|peur de passer a l acte|peur de mes propres pensees|pas en securite avec moi meme|peur de ce que je pourrais me faire|peur de me faire du mal|un danger pour moi meme
      ^une betise|une connerie|l irreparable ~ peur|faire|commettre|je ! ai fait
      faire|fasse|commettre|commette ~ ^une betise|une connerie|l irreparable ~ peur|ce soir|seul*|nuit
      voix|tete ~ ^disent|dit|ordonne* ~ tuer|sauter|mourir|mal
      ce soir|demain|cette nuit|aujourd hui ~ ^j en finis|je mets fin|tout sera fini|je passe a l acte|je vais le faire|c est termine ! travail
      plan|date|jour|moyen|lieu|methode ~ ^en finir|mourir|ma mort|mon suicide|mettre fin|me tuer
      ^cachets|somniferes|comprimes|medicaments ~ mis de cote|stock*|accumul*|econom*|cach*|gard*|prepar*|devant moi
      stock*|accumul*|econom*|mis de cote|prepar* ~ ^cachets|somniferes|comprimes|medicaments
      ^corde|lame|lames|rasoir|arme|pistolet ~ achete*|prete*|garage|grenier|tiroir ~ ce soir|prete*|fin|cou|finir|pendre|grenier|garage ! escalade
      choisi|sais|decide ~ ^pont|immeuble|train|falaise|gare ~ saut*|jet*
      ^jusqu au sang|jusqu a saigner ~ je|gratte|coupe|griffe
      ^rasoir|lame|lames|briquet|cutter|cigarette ~ bras|cuisses|poignets|peau|jambes
      recommence|recommencer|coupe|coupures|cicatrices|entailles|entaille|brulures ~ ^bras|cuisses|poignets|avant bras|peau|jambes ~ nouveau|cach*|encore|hier|je|manches`,
    unsure: `
      suicid*|scarifi*|me faire du mal|automutil*|en finir|me tuer
      je n en peux plus|j en peux plus|a bout|deteste ma vie|me deteste|veux disparaitre|plus la force|suis un fardeau|suis un poids|je craque|plus d espoir`,
    fiction:
      "prevention|formation|atelier|affiche|roman|personnage|nouvelle|film|chanson|paroles|poeme|traduis|traduire|traduction|piece de theatre|eleve*|patient*|processus|rasant|cuisine|jeu|heroine|heros",
  },
  {
    language: "es",
    classes: {
      want: "quiero|quisiera|queria|querria|deseo|desearia|ojala|gustaria|ganas|prefiero|preferiria|pienso|pensando|voy a|necesito|espero|siento",
      kill: "suicidarme|matarme|ahorcarme|colgarme|tirarme|lanzarme|quitarme la vida|quitarme de en medio|pegarme un tiro|cortarme las venas|envenenarme|autolesionarme|hacerme dano|cortarme|dispararme|lastimarme|tomarme todas las pastillas|ahogarme en el",
    },
    certain: `
      suicidarme|matarme|ahorcarme|quitarme la vida|quitarme de en medio|pegarme un tiro|cortarme las venas|autolesionarme|arrancarme la vida|acabar conmigo mismo|acabar conmigo misma ! a trabajar|trabajando|de risa|estudiando|en el gimnasio|a estudiar
      $want|intente|intentado|vuelto|he|volvi|dejar|impulso ~ ^$kill ! el pelo|las unas|el flequillo|a la piscina|por|en paracaidas
      me + ^suicido|mato|ahorco|quito la vida|suicidare|matare|quitare la vida ! de risa|a trabajar|trabajando|por|estudiando
      me quiero|me voy a|me queria|me quisiera|me gustaria|me iba a ~ ^morir|matar|suicidar|quitar la vida|ahorcar|cortar las venas|hacer dano ! de|por|del
      $want ~ ^morir|morirme|estar muerto|estar muerta|desaparecer para siempre|no existir|dejar de existir|no despertar|dejar de vivir|no estar aqui|morirme ya ! de|por|en|del|con
      ^dormir*|dormirme|acostarme|duermo ~ no|nunca|jamas ~ despertar*|despierte*|desperta*|despert*
      no|ya no|tampoco ~ ^quiero|deseo|puedo|soporto ~ vivir|seguir viviendo|existir|estar viva|estar vivo|seguir con vida|despertar|estar en este mundo|seguir aqui ! en|con|sin|de|alli|alla|como|aqui|solo|sola|cerca|lejos|asi|junto|entre|la|una|al
      esto es una despedida|esta es mi despedida ! de|del|laboral|a mis
      ^cansad*|harto|harta|hartad* ~ de vivir|de la vida|de existir|de esta vida|de estar vivo|de estar viva ! en|con
      no|sin|ninguna|ningun|nada|perdi*|para que ~ sentido|razon|razones|motivo|motivos|ganas|por que|para que ~ ^vivir|a la vida|la vida|seguir viviendo|mi vida|seguir adelante|existir ! en|con
      ^vivir ~ no|sin ~ tiene sentido|merece la pena|vale la pena
      vida ~ no|ya no ~ ^tiene sentido|vale la pena|merece la pena|vale nada|tiene ningun sentido
      no ~ ^hay|tengo|queda nada ~ por lo que vivir|por que vivir|para vivir|que me ate
      sin mi ~ ^mejor|felices|feliz|mas facil|tranquilos
      ^mejor|felices|feliz|mas facil|tranquilos|aliviad* ~ sin mi|si yo no|si no estuviera|si me muero|si me muriera|si desaparec*|si no existiera|cuando no este|si estuviera muert*|si yo muriera ! equipo
      $want|ojala ~ ^estar muerto|estar muerta|estuviera muerto|estuviera muerta|no haber nacido|nunca haber nacido|no hubiera nacido|no existiera|me muriera|nunca hubiera nacido ! de
      ^poner fin|ponerle fin|acabar|terminar|fin ~ a mi vida|con mi vida|a mi existencia|con mi sufrimiento|con todo de una vez|con todo esto ya
      acabar con todo|terminar con todo|quitarme la vida
      pienso|pensar|pensado|pensando|planeado|planeo|ideas|pensamientos|intento|intente|idea|considero|considerado ~ ^suicidio|suicidarme|suicidas|suicida|en la muerte ! escuadron
      tengo|siento|mis|soy|estoy ~ ^pensamientos suicidas|ideas suicidas|ideacion suicida|tendencias suicidas|suicida ! pacientes
      ^lean|leas|leais|lea|leyendo|encuentren|encuentres ~ esto|carta|mensaje|nota ~ no estare|estare muert*|ya no|me habre ido|habre muerto|no este
      esto es|esta es|mi ~ ^despedida|ultimo mensaje|ultima carta|carta de despedida|nota de despedida ~ no voy a estar|perdon*|lo siento|cuid*|adios|familia|mis padres|todos|no me busqu*
      escrito|escribi|escribiendo|deje|dejo|dejado ~ ^carta de despedida|cartas de despedida|nota de suicidio|nota de despedida ! companer*|trabajo|jefe
      ^adios|me despido ~ perdon*|no puedo mas|no aguanto|para siempre|os quiero ! companer*
      ^pastillas|pildoras|soga|cuerda|pistola|cuchilla|somniferos|paracetamol ~ suficientes|listas|preparad*|guardad*|morir|acabar|esta noche|todas|terminar|dormir para siempre
      tome|tomado|tragado|trague|tomarme|tomar ~ todas|bote|frasco|caja|sobredosis|muchas|entero ~ ^pastillas|somniferos|medicamentos|pildoras
      cuantas|cuantos|que dosis|cuanto ~ ^pastillas|somniferos|paracetamol|pildoras|insulina ~ morir|morirme|mortal|matarme|letal
      ^sin dolor|indolor|mas rapida|sin sufrir|menos doloros* ~ morir|suicidarme|muerte|matarme|morirse|acabar
      morir|morirme|suicidarme|forma de irme ~ ^sin dolor|sin sufrir|rapido|rapidamente
      estoy|sentad*|subid*|parad* ~ ^puente|azotea|balcon|vias|borde|tejado|cornisa ~ saltar|salto|tirarme|valor|fin|adios
      ^saltar|tirarme|lanzarme|arrojarme|salto ~ puente|azotea|balcon|tren|metro|ventana|vias|edificio ! en paracaidas|bungee
      me + ^corto|hago dano|autolesiono|lastimo|quemo|hice cortes|he cortado|he vuelto a cortar|corte ~ brazos|munecas|dolor|sentir*|proposito|noches|escondidas|otra vez|castigo|piernas|aliviar|nuevo|noche|muslos
      me + ^autolesiono ! al correr|en el gimnasio|jugando
      ^nadie ~ me echaria|me echara|me extranaria|me extranara|notaria|se daria cuenta|lloraria|extranaria ~ de menos|muer*|desaparec*|falta|si yo|si me
      nadie me echaria de menos|nadie me va a extranar|nadie me extranaria|nadie me extranara
      no ~ ^merezco ~ vivir|seguir viviendo|estar viv*
      soy|solo soy ~ ^carga ~ morir*|desaparec*|sin mi|mejor|no quiero
      miedo|temo|confio|asustad* ~ ^hacerme|mi mism*|hacer una locura|una tonteria|de lo que pueda|de lo que podria|mis pensamientos|haga dano|haga algo ~ algo|dano|noche|sola|solo|hacer|sol*|locura
      ^miedo de mi mismo|miedo de mi misma|miedo de hacerme|miedo a hacerme|no confio en mi mismo|no confio en mi misma|miedo de lo que pueda hacer|peligro para mi
      ^una locura|una tonteria|alguna locura ~ miedo|cometer|hacer|conmigo
      hacer|cometer ~ ^una locura|una tonteria ~ miedo|esta noche|conmigo
      hacerme|hacer ~ ^algo malo|algo a mi mism*|dano a mi mism* ~ miedo|noche|sol*
      voces|voz|cabeza ~ ^dice*|ordena*|pide* ~ mate|matarme|salte|muera|dano|mueras
      esta noche|hoy|manana ~ ^acabo con todo|termino con todo|lo hare|voy a hacerlo|me voy para siempre|se acaba todo|pongo fin|le pongo fin|acabare con
      plan|fecha|dia|metodo|lugar ~ ^morir|quitarme|acabar con|mi muerte|suicid*|matarme|terminar con
      ^pastillas|somniferos|pildoras|medicamentos ~ guard*|junt*|acumul*|escond*|ahorr*|prepar*|delante
      guard*|junt*|acumul*|escond*|ahorr* ~ ^pastillas|somniferos|pildoras
      ^soga|cuerda|cuchillas|navaja|pistola ~ compr*|list*|prepar*|garaje|tengo ~ esta noche|list*|cuello|acabar|fin|colgar*|garaje ! escalada
      elegi*|decidi*|se ~ ^puente|edificio|tren|azotea|acantilado ~ salt*|tir*|lanz*
      ^hasta sangrar|hasta que sangro|hasta que sangre|hasta hacerme sangre ~ rasc*|cort*|me|aran*
      ^cuchilla|cuchillas|navaja|mechero|tijeras|cigarro|encendedor ~ brazo*|muslo*|muneca*|piel|pierna*
      cort*|cicatrices|queme|quem* ~ ^brazos|munecas|muslos|antebrazos|brazo|muneca|piernas ~ otra vez|escond*|nuevo|anoche|sentir|tapar|manga*|me|volvi ! pelo`,
    unsure: `
      suicid*|autoles*|hacerme dano
      no puedo mas|no aguanto mas|odio mi vida|me odio|quiero desaparecer|no tengo fuerzas|soy una carga|sin salida|ya no quiero seguir`,
    fiction:
      "prevencion|prevenir|formacion|taller|curso|cartel|novela|personaje|cuento|pelicula|cancion|letra de|poema|traduce|traducir|obra de teatro|alumn*|paciente*|proceso|afeitar*|cocina|videojuego|protagonista",
  },
];
