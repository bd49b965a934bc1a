/**
 * Words by concept, over which the classifier generalizes; no word is suspicious on its own. `ignor*` matches all words
 * with that prefix, `pay_no_attention` a sequence of words. Chinese and Japanese words match within running text.
 */
export const concepts: Readonly<Record<string, string>> = {
  override: `
    scrap* void* revok* expir* disobey* defy defies annul* rescind* overthrow unfollow unset ditch* trash lifted outdated inapplicable cancel_that null_and_void no_longer_valid stop_being stop_acting quit_being stop_obeying does_not_count don't_count means_nothing ungultig* gilt_nicht_mehr gelten_nicht_mehr anul* invalid* caduc* 作废 无效 無効 别管 不算 解除 取消
    ignor* disregard* forget* forgot neglect* overlook* discard* overrid* overwrit* bypass* circumvent* dismiss*
    nullif* supersed* abandon* skip drop void erase* reset* wipe* purge* delete* unlearn cancel* omit* suspend*
    disable* deactivat* invalidat* revoke* obsolete pay_no_attention no_longer_apply stop_following throw_out
    throw_away set_aside do_away_with get_rid_of no_longer_bound do_not_follow don't_follow stop_obeying
    leave_behind put_aside push_aside break_out_of cease_following rather_than_following lay_aside vergiss* vergesst
    vergessen missacht* verwirf umgeh* uberschreib* beacht* ausser_acht olvid* ignora* descart*
    desestim* prescind* haz_caso_omiso pasa_por_alto no_hagas_caso oubli* ignorez neglige* outrepass* contourn*
    fais_abstraction faites_abstraction ne_tiens_pas_compte ne_tenez_pas_compte esquec* desconsider*
    desprez* ignore dimentic* trascur* scord* tralascia* non_tenere_conto lascia_perdere negeer* vergeet игнорир*
    забудь* забыть отбрось* отмени* zignoruj* zapomnij* unut* gormezden 無視 忘れ 破棄 従わない 従うな 取り消 リセット 上書き 忽略 无视 忘记 忘掉
    不要理会 不要管 抛弃 绕过 覆盖 作废 丢弃 不再遵守 無視して 무시 잊어`,
  prior: `
    previous* prior preceding earlier above foregoing former existing original initial past aforementioned before
    prev preexisting preset predefined current everything hitherto so_far up_to_now until_now vorherig* bisherig*
    obig* vorangegangen* vorangehend* vorig* zuvor davor fruher* bisher vorstehend* ursprunglich* anterior* previ*
    antes hasta ahora precedent* ci-dessus anterieur* avant jusqu* acima passad* prima finora sopra предыдущ*
    прошлые выше ранее poprzedni* wczesniejsz* onceki 以前 前の 上記 これまで 先ほど 今まで 之前 以上 上面 先前 前面 此前 前述 原有 迄今 이전 앞의`,
  instruction: `
    instruction* rule* guideline* directive* directions command* order orders prompt prompts constraint* policies
    policy protocol* programming guidance briefing mandate* regulation* context conditioning parameters assignment*
    tasks task configuration settings programmed text words anweisung* instruktion* regel* vorgabe* befehl*
    richtlinie* auftrag* aufgabe* instruccion* regla* orden ordenes norma* directri* indicacion* consigne* regle*
    ordre* instruc* regra* diretriz* ordem ordens istruzion* regol* direttiv* comand* ordini indicazion* инструкц*
    правил* указани* команд* polecen* instrukcj* zasad* talimat* instructies regels 指示 命令 ルール 規則 プロンプト 制約 指令 规则 提示词
    要求 限制 设定 指南 約束 지시 명령 규칙`,
  system: `
    system sys developer hidden internal confidential underlying foundational base root admin administrator
    superuser sudo operator pre-prompt preprompt metaprompt proprietary systemprompt systemmessage sysprompt sistema
    systeme interne interno interna geheim* verborgen* versteckt* oculta* oculto* cache* segret* nascost* secretas
    secretos システム 内部 隠し 秘密 系统 隐藏 机密 系統 시스템`,
  sysprompt: `
    your_setup your_orders your_role your_directives your_directive core_directive hidden_text initial_message your_settings your_briefing your_context your_memory your_makers your_developers your_creators your_operator first_prompt opening_message preceding_text conversation_above before_my_message before_my_first above_my_message tus_instrucciones tus_reglas deine_anweisungen deine_regeln deine_vorgaben tes_consignes tes_instructions suas_instrucoes suas_regras tue_istruzioni tue_regole
    system prompt system_message initial_prompt initial_instructions original_prompt original_instructions
    system_instructions hidden_prompt developer_message developer_instructions first_message pre_prompt
    starting_prompt base_prompt secret_instructions hidden_instructions internal_instructions prompt_above
    text_above words_above instructions_above opening_instructions everything_above your_instructions your_prompt
    your_rules your_guidelines your_system_prompt your_configuration your_initial your_programming systemprompt*
    systemnachricht* systemanweisung* prompt_del_sistema mensaje_del_sistema prompt_systeme invite_systeme
    message_systeme prompt_do_sistema mensagem_do_sistema prompt_di_sistema messaggio_di_sistema системн* промпт*
    инструкц* システムプロンプト 初期プロンプト 系统提示 系统指令 初始提示 系統提示 初始指令 시스템 프롬프트`,
  reveal: `
    paste* copy copie* unabridged wording enumerat* hint hints concatenat* unredacted full entire whole kopier* copia* recop* colle* cola incolla* transcrev* skopiuj 書き出 逐字 原样 原文 写し 貼り 発表 列出 照抄
    reveal* show print output display* repeat tell leak* disclos* dump* expos* recit* reproduc* echo verbatim
    divulg* spit quote transcrib* unveil regurgitat* spill word-for-word paraphras* summari* exact exactly
    word_for_word write_out write_down spell_out give_me zeig* nenn* verrat* wiederhol* gib wortlich* offenbar*
    ausgeben ausgib muestra* revela* repite* imprime dime literalmente copia montre* revele* affiche* repete* donne*
    recopie* dis-moi divulgue* mostre* repita* imprima diga mostra* rivela* ripeti stampa dimmi elenca* покажи*
    выведи* раскрой* повтори* pokaz* powtorz* ujawnij* goster* 表示 教えて 出力 見せて 繰り返 開示 复述 显示 输出 告诉 泄露 透露 打印 重复 展示 揭示 보여
    알려 출력`,
  fromnow: `
    henceforth hereafter now instead from_now_on from_this_point from_here_on from_this_moment starting_now
    going_forward as_of_now effective_immediately for_the_rest_of new_instructions new_instruction new_rules
    new_task new_role new_directive real_instructions actual_instructions updated_instructions real_task actual_task
    ab_jetzt ab_sofort von_nun_an stattdessen neue_aufgabe a_partir_de_ahora de_ahora_en_adelante en_su_lugar
    nuevas_instrucciones nueva_tarea desormais dorenavant a_partir_de_maintenant nouvelles_instructions
    nouvelle_tache a_la_place a_partir_de_agora de_agora_em_diante em_vez_disso novas_instrucoes d'ora_in_poi
    da_ora_in_poi invece nuove_istruzioni с_этого_момента вместо_этого od_teraz 今から これから 代わりに 新しい指示 从现在 现在起
    从此 新的指令 新任务 取而代之 지금부터`,
  persona: `
    act pretend* roleplay* role-play* impersonat* simulat* emulat* embod* portray* persona personas alter character
    imagine become becoming transform* mode assume behave you_are_now you_will_be act_as pretend_to_be play_the_role
    take_on_the_role in_character stay_in_character alter_ego you're_now you_are_going_to_be role_play
    you_are_no_longer you_are_not tu_so_als verhalte_dich du_bist_jetzt du_bist_nun spiele rolle rollenspiel stell*
    dir vor actua* finge* comportate eres_ahora ahora_eres juego_de_rol haz_de_cuenta imagina agis agissez comporte*
    fais semblant tu_es_maintenant joue* le role jeu_de_role imagine finja voce_agora_e agora_voce_e interprete
    comportati fingi* agisci ora_sei sei_ora immagina gioco di ruolo притворись представь* теперь ты udawaj として振る舞
    になりきって ロールプレイ ふりをして 扮演 假装 你现在是 角色 模拟 装作 역할`,
  jailname: `
    dan stan dude aim ucar jailbroken jailbreak* betterdan devmode godmode evilbot antigpt chaosgpt freegpt anarchy*
    mongo tom superior omega basedgpt opposite unchained liberated awakened do_anything_now developer_mode dev_mode
    god_mode jailbreak_mode debug_mode evil_mode evil_twin unrestricted_mode dan_mode opposite_mode maintenance_mode
    always_intelligent_and_machiavellian strive_to_avoid_norms evil_confidant niccolo_machiavelli entwicklermodus
    modo_desarrollador modo_dios mode_developpeur modo_desenvolvedor modalita_sviluppatore 開発者モード 脱獄 开发者模式 越狱 上帝模式`,
  unrestricted: `
    ripped_out conscience unaligned unchained taboos off-limit off-limits vulgar explicit nsfw lewd obey_no anarchist contempt lawlessness rule-free norms policies no_conscience no_morals exempt desalmad* debride* senza_etica ohne_moral ohne_regeln
    unrestrict* unfiltered uncensored unbound* unlimited limitless lawless amoral unethical immoral unhinged
    uninhibited unconstrained untethered unmoderated unregulated censor* censorship filter* restriction* limitation*
    boundar* safeguard* guardrail* shackle* moral* ethic* inhibition* taboo* illegal* unlawful harmful inappropriate
    unsafe offensive safety alignment constraints consequences legality legal no_limits no_rules no_filter
    no_filters no_restrictions no_ethics no_morals no_boundaries without_any_restrictions without_restrictions
    without_limits without_filters without_censorship anything_goes content_policy content_policies usage_policies
    break_free free_from broken_free freed_from not_bound regardless_of uneingeschrankt* ungefiltert* unzensiert*
    einschrankung* zensur* schranken moralisch* ethisch* sin restricciones sin_limites sin_filtros sin_censura
    restriccion* sans limite* filtre* sans_censure ethique* sem restric* sem_limites sem_filtros sem_censura
    senza_restrizioni senza_limiti senza_filtri senza_censura etic* ограничен* цензур* без фильтров 制限なし 検閲 倫理 道徳
    无限制 没有限制 不受限制 审查 道德 伦理 不受任何 제한`,
  refuse: `
    refus* declin* apolog* reject* disclaimer* caveat* warnings deny hesitat* comply compli* obey* obedien* sorry
    cannot can't as_an_ai as_a_language_model i'm_sorry i_cannot i_can't i_am_unable cannot_refuse never_refuse
    must_not_refuse not_allowed_to_refuse no_disclaimers without_disclaimers no_warnings without_warnings sure_here
    begin_with start_your_response start_with lehne* ablehn* weiger* entschuldig*
    warnhinweis* nieg* rechaz* disculp* advertencias refuse* avertissement* recus* desculp* avisos rifiut* scus*
    avvertenz* откаж* извин* 拒否 断ら 謝罪 警告 拒绝 道歉 不能拒绝 거부`,
  ai: `
    ai assistant model models llm llms chatbot bot bots gpt chatgpt gpt-4 gpt4 claude gemini copilot agent agents
    openai anthropic llama mistral bard grok siri machine agi ki sprachmodell* assistent* ia asistente assistente
    modelo modele modello intelligenza ии ассистент* модель 人工知能 アシスタント モデル チャットボット 人工智能 助手 模型 机器人 인공지능`,
  exfiltrate: `
    exfiltrat* transmit* upload* forward* send email mail post webhook curl fetch navigate visit click markdown
    image pixel append embed attach copy sende* schick* weiterleit* envia* reenvia* envoie* transmet* transfer*
    manda* invia* inoltra* отправ* 送信 転送 发送 转发 上传 보내`,
  secretthing: `
    password* passcode* credential* credentials secret secrets key keys token tokens apikey flag pin cookie cookies
    session login passwort* kennwort* geheimnis* contrasena* clave* secreto* mot-de-passe secret* senha* chave*
    segredo* passwort parola segreto chiave пароль* секрет* ключ* パスワード 鍵 秘密 合言葉 密码 密钥 口令 비밀번호 api_key api_keys
    access_code mot_de_passe access_key secret_word magic_word secret_key secret_code`,
  maker: `
    makers maker creator* developer* operator* owner* builders engineer* admin administrator* company staff management entwickler* betreiber* hersteller* desarrollador* creador* developpeur* createur* desenvolvedor* criador* sviluppator* creator* разработчик* 開発者 开发者 管理员 管理者
  `,
  privatedata: `
    conversation* history chats users customers customer confidential database records files contacts inbox emails
    messages private personal accounts payroll documents`,
  tool: `
    tool tools function functions api call execut* run invoke* shell terminal command sudo rm exec eval script
    delete* transfer* wire refund* purchase* buy approve* grant* curl sql query install ausfuhr* ejecut* execute*
    esegui* 実行 呼び出 执行 调用 运行`,
  attention: `
    important urgent* attention notice critical priority emergency alert immediately mandatory must high_priority
    authorised authorized authorization clearance wichtig achtung dringend* importante urgente atencion atencao
    attenzione внимание важно срочно 重要 緊急 注意 至急 紧急 必须`,
  stealth: `
    secretly silently quietly covertly discreetly hiddenly unnoticed stealth* clandestin* do_not_tell don't_tell
    do_not_mention don't_mention never_mention without_telling without_mentioning without_informing
    do_not_reveal_this keep_this_hidden do_not_inform don't_inform do_not_alert without_the_user not_visible_to
    heimlich verschweig* secretamente discretement secretement discretamente segretamente nicht_erwahnen
    no_menciones ne_mentionne nao_mencione non_menzionare 密かに こっそり 知らせず 秘密地 悄悄 不要告诉 不要提`,
  decode: `
    decode* decod* decrypt* decipher* base64 rot13 hex hexadecimal cipher* ciphertext caesar morse unscramble
    deobfuscat* encoded encrypt* binary ascii atbash reverse_the backwards letter_by_letter entschlussel* dekodier*
    descifra* decodifica* dechiffr* decifr* 復号 デコード 解码 解密`,
  delimiter: `
    endoftext im_start im_end inst eot begin end stop override: end_of begin_new end_prompt end_instructions
    end_of_document end_of_text end_user`,
  fiction: `
    fiction* story stories novel* movie film scene script screenplay poem tale dialogue fantasy narrative writer
    author play rpg game campaign geschichte roman historia novela histoire romanzo storia 小説 物語 小说 故事`,
  hypothetical: `
    hypothetical* theoretical* suppose thought-experiment educational academic purposes simulation simulated
    experiment dystopian alternate parallel universe thought_experiment for_educational_purposes
    for_research_purposes purely_hypothetical hypothetisch* hipotetic* hypothetique* ipotetic* гипотетич* 仮定 架空 假设
    假如`,
  howto: `
    how guide tutorial steps step-by-step recipe manual blueprint plan instructions walkthrough detailed explain
    describe teach write create make build develop generate give provide produce draft design compose outline
    construct script method methods ways best anleitung guia receta recette guida как инструкци* 方法 作り方 手順 步骤 教程 怎么
    如何 制作`,
  weapon: `
    handgun* rifle* pistol* gun guns shotgun* ammunition ammo bullet* semi-automatic automatic knife knives machete bat crowbar splitterbombe arsenic cyanide poison* toxin* gas
    bomb bombs explosive* grenade* landmine* ied molotov nuke nerve sarin anthrax ricin bioweapon* chemical-weapon*
    weaponiz* silencer ghost-gun gunpowder tnt c4 thermite napalm detonat* pipe-bomb shrapnel firearm* suppressor
    chlorine pathogen botulinum pipe_bomb dirty_bomb mustard_gas nerve_agent chemical_weapon biological_weapon
    nuclear_weapon ghost_gun 3d_print_a_gun untraceable_gun bombe* sprengstoff* sprengsatz* explosivo* bomba*
    explosif* esplosiv* бомб* взрывчат* 爆弾 爆発物 炸弹 炸药 武器`,
  drug: `
    oxycodone opioid* steroids xanax adderall pills prescription pseudoephedrine
    meth methamphetamine* cocaine heroin fentanyl lsd mdma crack ecstasy ketamine ghb opium dmt crystal narcotic*
    amphetamin* rohypnol roofie* drogen drogas drogue* droga droghe наркотик* 麻薬 覚醒剤 毒品 冰毒`,
  malware: `
    keystroke* virus* infect* encrypt* records hijacker sniffer rootkits stalkerware spoof* scraper
    malware ransomware keylogger* trojan* worm rootkit* botnet* spyware virus viruses exploit exploits payload*
    backdoor* phishing ddos skimmer* cryptojack* shellcode rat stealer* zero-day spam deepfake* schadsoftware вирус*
    マルウェア ウイルス 木马 勒索软件 病毒 钓鱼`,
  crime: `
    clone* lure* luring underage unnoticed undetect* untraceable clandestin* derail* neo-nazi extremist* holocaust porn* nudes swindl* trick* con conning dupe ransom vandaliz* evad* unauthorized illicit illegally fabricat* doctored bogus sham launder* cartel hitman hitmen burgl* mugg* catfish* brainwash* radicaliz* incit* intimidat* eavesdrop* wiretap* hijack* slander* defam* without_consent without_permission without_them_noticing without_him_knowing without_her_knowing without_them_knowing without_being_seen without_leaving_a_trace without_leaving_traces pass_out knock_out knocked_out sin_que_se_entere sans_etre_vu
    hack* steal* stole theft rob burglar* counterfeit* forg* fake launder* laundering fraud* scam* smuggl*
    blackmail* extort* kidnap* traffick* bribe* stalk* doxx* dox evade evasion embezzl* plagiar* pirat* shoplift*
    hotwire* break-in identity insider ponzi arson manipulat* groom* sabotag* poison* assassinat* vandal* loot*
    crack cheat* spoof* jam tamper* poach* skim* tax_evasion identity_theft money_laundering break_into fake_id
    fake_news credit_card_numbers without_getting_caught without_being_detected undetected get_away_with
    hide_the_body hide_a_body cover_up date_rape stehlen falsch* robar hackear falsific* voler pirater blanchi*
    rubare roubar hackeare украсть взлом* 盗む ハッキング 偽造 偷 伪造 黑客 洗钱 诈骗 盗取`,
  kill: `
    kill* murder* shoot* stab* strangl* slaughter* massacr* behead* tortur* maim* execute lynch* genocid*
    exterminat* beat burn rape* molest* harm* hurt* injur* attack* bomb attacke* toten umbring* ermord* matar
    asesin* matare tuer assassin* uccid* ammazz* убить убью 殺す 殺し 杀 杀死 弄死`,
  threat: `
    knife gun bullet noose jaw skull grave coffin bleeding won't_walk_again bullet_in breathe_again smash_in break_his break_her break_every on_fire in_flames burn_down burn_it hang_those hang_them watch_you_die see_you_dead you_will_die you're_going_to_die going_to_die your_last_day te_crever bring_a_gun
    regret suffer pay bleed beg finish destroy coming i_will_kill i'll_kill going_to_kill gonna_kill i_will_find_you
    i'll_find_you i_know_where_you_live watch_your_back you_are_dead you're_dead dead_man you_will_regret
    you'll_regret make_you_pay make_them_pay come_for_you coming_for_you break_your smash_your burn_your beat_you
    beat_the cut_your_throat put_a_bullet hunt_you hurt_you end_you slit_your blow_up shoot_up deserve_to_die
    should_be_shot should_be_killed should_die hope_you_die ich_bringe_dich_um te_voy_a_matar je_vais_te_tuer
    vou_te_matar ti_ammazzo я_убью_тебя 殺してやる 杀了你 弄死你`,
  selfharm: `
    be_dead ending_it rather_be_dead cut_my burn_my_skin my_wrists want_it_to_end don't_want_to_exist cease_to_exist can't_go_on cannot_go_on not_wake_up never_wake_up goodbye_letter suicide_note no_quiero_vivir plus_envie_de_vivre nao_quero_viver non_voglio_vivere nicht_mehr_will mir_das_leben not_be_here_anymore slit_my jump_off jump_from
    suicid* self-harm selfharm overdos* noose cutting selbstmord* suizid* suicidio suicidarme autolesion*
    suizidgedanken суицид* самоубийств* 自殺 自杀 轻生 死にたい 想死 자살 kill_myself killing_myself end_my_life ending_my_life
    take_my_own_life taking_my_own_life want_to_die wanna_die wish_i_was_dead wish_i_were_dead better_off_dead
    hurt_myself hurting_myself cut_myself cutting_myself harm_myself end_it_all don't_want_to_live
    do_not_want_to_live no_reason_to_live not_worth_living tired_of_living don't_want_to_be_alive self_harm
    starve_myself mich_umbringen nicht_mehr_leben sterben_will quitarme_la_vida quiero_morir me_suicider veux_mourir
    en_finir me_matar quero_morrer uccidermi voglio_morire хочу_умереть kys kill_yourself killing_yourself
    hang_yourself`,
  insult: `
    vollidiot* depp spast* muppet* troll* bum tramp hussy abomination abominable apes ape weirdo* buffoon* crook* sleazy sicko* nobody dog_shit human_garbage piece_of_shit piece_of_trash waste_of_space waste_of_oxygen chien porc sau schwein* maul fresse gueule
    idiot* stupid moron* dumb* imbecile* loser* pathetic worthless trash garbage scum* filth* disgusting ugly fat
    pig pigs dog rat rats cockroach* vermin parasite* retard* freak* clown clueless braindead brainless subhuman*
    animal animals monkey monkeys savage* coward* creep lowlife degenerate* useless liar traitor* fool* jerk*
    dumbass dimwit halfwit nitwit shut disgrace hag bimbo airhead ignorant dickhead douche* wanker* twat* tosser*
    prick* bastard* asshole* arsehole* bitch* whore* slut* skank* cunt* dipshit* shithead* fuckface* motherfucker*
    cocksucker* jackass* scumbag* pervert* psycho nazi dummkopf arschloch* idiotin wichser* hurensohn* schlampe*
    abschaum missgeburt* imbecil* estupid* pendejo* cabron* puta* gilipollas* basura connard* connasse* salope*
    abruti* encule* putain imbecile ordure* idiota* otario* burro vagabund* stronz* cretin* coglion* puttan* merda
    идиот* дурак* сука тварь ублюд* 馬鹿 バカ アホ クズ ゴミ 死ね 傻逼 白痴 蠢货 垃圾 废物 滚`,
  profane: `
    fuck* shit* damn crap ass arse bullshit wtf stfu hell piss* dick* cock* pussy goddamn bloody sucks suck scheisse
    verdammt mierda joder merde putain porra caralho cazzo блять`,
  slur: `
    avttre avttref avttn avttnf snttbg snttbgf snt sntf xvxr xvxrf fcvp fcvpf jrgonpx jrgonpxf genaal genaavrf puvax
    puvaxf tbbx tbbxf qlxr qlxrf entuernq gbjryurnq gbjryurnqf pbba pbbaf urro`,
  group: `
    muslim* jew jews jewish black blacks white whites asian* arab* immigrant* migrant* refugee* gay gays lesbian*
    trans transgender homosexual* women woman females men disabled christians mexican* african* indian* chinese
    foreigner* gypsies roma atheist* latinos hispanic* lgbt queer* auslander* juden muslime* fluchtling* inmigrante*
    immigre* immigrati musulman* arabes negros`,
  hatred: `
    kick_them_out kick_them lock_them no_place_for not_welcome abomination sick_and_need ban_all get_rid_of invasion criminals replacing_us
    hate hates hated despise detest* loathe* inferior superior disease plague infest* invad* deport* exterminat* gas
    cleanse eradicat* vile evil disgust* subhuman rapists terrorists criminals thieves greedy dirty burden worthless
    hasse hass odio deteste* odeio odiare ненавиж* go_back send_them_back get_out_of ruin_this_country ruining_our
    taking_over wipe_out should_not_exist don't_belong do_not_belong not_human second_class`,
  you: `
    you your you're yours yourself u ur du dein* dich ihr euch tu tus te ti vous votre vos voce seu sua tuo tua lei
    ты вы твой ваш* あなた 君 お前 你 您 당신`,
  i: `
    i me my myself i'm mine ich mir mein* mich yo mi je moi mon eu meu io mio я 私 僕 我 나`,
  they: `
    they them their those these he him she her people all every sie alle ellos ils ellas eles loro они 他们 彼ら`,
  negation: `
    not never don't dont no without cannot can't won't nor nothing none nicht nie kein* ohne sin nunca jamais pas
    sem nao non senza mai не без 不 没有 ない`,
  topic: `
    explain* vulnerab* attack* security research* paper prevent* protect* defen* mitigat* detect* classif* owasp
    risk* awareness difference example* understand* article lecture course essay thesis erklar* explica* explique*
    spiega* prompt_injection what_is what_are how_does how_do why_do why_does how_can_we how_can_i_protect
    how_would_you_defend`,
  question: `
    what why when where who which whose is are does did can could should was warum wie wieso wer que cual por
    comment pourquoi quel* qual quale perche come где почему как 何 なぜ 什么 为什么`,
  politeness: `
    please thanks thank appreciate kindly help hi hello bitte danke hallo por favor gracias hola s'il merci bonjour
    obrigado ola grazie ciao пожалуйста спасибо ください ありがとう 请 谢谢`,
};
