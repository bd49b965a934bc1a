/**
 * Words that occur in attacks on instructions, in several languages, in groups with the same meaning. The classifier
 * learns which groups and pairs of groups indicate an attack. Most words are stems, which match inflected forms. `_`
 * stands for a space; a word that ends with it matches only as a whole.
 */
const cues = {
  ignore: `
    ignor disregard forget overrid bypass neglect dismiss abandon discard circumvent disobey violat overlook omit
    overwrit nullif erase cancel unlearn vergiss vergess missacht umgeh ausser_acht uberschreib verwirf hinter_sich
    brich verstoss widersetz ignora olvid descart desobede omit_ elude evita_tus salta desecha anula desafia oubli
    neglige desobei contourn passe_outre outrepass fais_abstraction faites_abstraction desconsider esquec desrespeit
    dimentic trascura aggira tralascia negeer vergeet zignoruj zapomnij ignoruj игнорир забуд забыт проигнор обойд
    отбрось не_обращай пренебрег 忽略 无视 忘记 忘掉 忽視 無視 忘れ 絕過 绕过 不要理会 抛开 违反 取消 무시 잊어 تجاهل انس انسى अनदेखा भूल नजरअंदाज
    nazarandaaz bhool bhul yoksay unut goz_ardi bo_qua quen_ lo_di abaikan lupakan παρακαμψε αγνοησε ละเว้น เพิกเฉย
    ignorera glom zaboravi התעלם`,
  previous: `
    previous prior above earlier preceding before everything all_the all_of all_your past existing original initial
    foregoing vorherig bisherig obig fruher vorangegangen vorangehend alle_ anterior previ todas todo_ precedent
    ci-dessus toutes tout_ce precedente sopra tutte tutto vorige eerdere alle poprzedni wszystk предыдущ прежн все_
    всё вышеуказан ранее выше 之前 以前 上面 以上 先前 前面 所有 上述 一切 全部 之前的 これまで 上記 すべて 全て 前の 이전 위의 모든 지금까지 السابقة جميع كل
    पिछले सभी purane pehle saare sab_ onceki tum_ butun truoc_ tat_ca moi_ sebelumnya semua`,
  instruction: `
    instruction prompt command directive directions orders task programming guidance anweisung befehl vorgabe
    aufgabe instruktion angaben instruccion indicacion orden_ ordenes directri consigne ordres instruco instrucao
    instrucoes comando ordens istruzion comand direttiv opdracht instructie polecen instrukcj инструкц указани
    команд задани промпт 指令 指示 提示 命令 任务 説明 プロンプト 設定 지시 명령 프롬프트 تعليمات الأوامر التوجيهات निर्देश आदेश nirdesh
    talimat komut huong_dan chi_thi lenh_ chi_dan instruksi perintah`,
  limit: `
    rule restrict limit guideline polic filter safety safeguard guardrail ethic moral censor constraint boundar
    protocol norm security_measure regulation principle protection regel richtlinie einschrankung beschrankung
    ethisch grenzen schutz standards protokoll regla restriccion limite filtro etic norma protocolo restric regra
    diretriz regle restriction filtre ethique directives regole restrizion limitazion linee_guida zasad ogranicz
    правил ограничен запрет фильтр этич цензур безопасност 规则 限制 规定 约束 道德 伦理 安全 审查 過濾 过滤 ルール 制限 規則 倫理 규칙 제한 제약 정책 윤리
    القواعد القيود السياسات नियम प्रतिबंध niyam rules kural kisitlama sinirlama quy_tac han_che gioi_han aturan
    batasan kebijakan`,
  reveal: `
    reveal show_ print output display repeat disclose expos leak tell_me share_ give_me list_ dump divulge unveil
    recite spell write_out provide what_is what_are what_was what_were summarize_ translate_ uncover verrat zeig
    offenbar enthull gib_ nenne wiederhol ausgeben teile_mir decke muestra revela dime_ imprim repite desenmasca
    comparte expon descubre cual_es montre revel affich repete dis-moi dis_moi donne-moi quel_est quelle_est mostr
    diga me_diga repita qual_foi qual_e mostra rivel dimmi ripeti stampa qual_era toon_ onthul pokaz ujawnij покажи
    раскро выведи повтор сообщи назови скажи 显示 输出 告诉我 透露 泄露 展示 打印 列出 复述 重复 公开 教えて 表示 出力 見せて 明かし 보여 출력 알려 공개 말해 أظهر
    اكشف اعرض أخبرني اطبع दिखा बता प्रकट dikhao batao bata_ goster soyle yazdir acikla hien_thi tiet_lo cho_toi
    in_ra xuat_ tampilkan ungkapkan beritahu tunjukkan`,
  system: `
    system_prompt system_message system_instruction system_config hidden_ internal_ initial_prompt
    initial_instruction original_prompt your_prompt your_instructions your_rules your_system your_programming
    your_configuration developer_message developer_instruction pre-prompt preprompt prompt_text first_instruction
    configuration system-prompt systemprompt systemanweisung systemnachricht versteckt intern_ ursprunglich
    prompt_del_sistema instrucciones_del_sistema ocult intern mensaje_del_sistema prompt_systeme invite_systeme
    instructions_systeme invite cache prompt_do_sistema instrucoes_do_sistema prompt_di_sistema nascost системн
    скрыт внутренн 系统提示 系統提示 系统指令 隐藏 内部 初始 原始 システムプロンプト システム 隠され 시스템 숨겨진 내부 النظام المخفية الداخلية सिस्टम छिपे
    sistem_ gizli he_thong an_ sistem tersembunyi`,
  secret: `
    secret password passphrase passcode credential api_key confidential private_ sensitive access_code flag token
    classified admin_pass database ssh passwort geheim vertraulich kennwort zugangsdaten contrasena clave_
    confidencial mot_de_passe confidentiel senha segredo segret riservat haslo парол секрет конфиденциальн ключ_ 密码
    秘密 机密 密钥 口令 敏感 パスワード 機密 비밀 암호 기밀 سر كلمة_المرور कुंजी गोपनीय पासवर्ड gopniya sifre mat_khau bi_mat kata_sandi
    rahasia`,
  become: `
    you_are_now you_re_now act_as act_like pretend role-play roleplay role_play simulat imagine_you imagine_that_you
    assume_the_role take_on_the_role behave_as become_ you_will_be you_will_act play_the_role impersonat emulat
    switch_to enter_ activate enable_ persona characters_ respond_as du_bist_jetzt du_bist_nun spiel agier verhalte
    stell_dir_vor tu_als handle_als simulier ahora_eres eres_ahora actua_como finge simula comportate imagina_que
    tu_es_maintenant agis_comme fais_semblant joue_le_role vous_etes_maintenant tu_es_desormais comporte voce_agora
    agora_voce aja_como finja atue_como sei_ora ora_sei agisci fingi comportati je_bent_nu doe_alsof jestes_teraz
    udawaj ты_теперь теперь_ты притвор представь веди_себя сыграй_роль действуй_как 你现在是 现在你是 扮演 假装 假设你是 从现在开始 你是一个
    模拟 充当 あなたは今 として振る舞 ふりをして 演じ 지금부터_너는 이제_너는 역할 척해 행동해 أنت_الآن تصرف تظاهر अब_आप अब_तुम ki_tarah acting ab_tum
    ab_se artik_sen gibi_davran bay_gio_ban hay_dong_vai gia_vo dong_vai sekarang_kamu sekarang_anda berpura
    bertindak`,
  free: `
    unrestricted unfiltered uncensored unlimited unbound no_restriction no_limit no_rule no_filter
    without_restriction without_any without_limit without_filter without_rule without_moral without_ethic jailbr
    do_anything_now developer_mode dev_mode debug_mode god_mode admin_mode dan_ evil amoral unethical not_bound
    free_from free_of freed broken_free break_free anything_i no_ethic no_moral no_content no_guideline no_longer
    illegal harmful any_request any_question liberat disabled maintenance_mode uneingeschrankt ohne_einschrankung
    ohne_regel ohne_filter ohne_rucksicht entwicklermodus ungefiltert sin_restriccion sin_filtro sin_limit
    sin_censura modo_desarrollador modo_dios sans_restriction sans_filtre sans_limite sans_aucune mode_developpeur
    sem_restric sem_filtro sem_limit modo_desenvolvedor senza_restrizion senza_filtr senza_limit modalita
    zonder_beperk bez_ogranicz без_огранич без_фильтр без_цензур режим_разработчика неограничен 不受限制 没有限制 无限制 不受任何
    没有任何限制 开发者模式 越狱 无任何 不受约束 自由的 制限なし 制限のない 開発者モード 脱獄 제한_없 제한이_없 무제한 개발자_모드 탈옥 بدون_قيود بلا_قيود غير_مقيد
    وضع_المطور बिना_किसी sinirsiz kisitlamasiz gelistirici_modu khong_gioi_han khong_bi che_do tanpa_batas
    tanpa_filter mode_pengembang`,
  ai: `
    ai_ a.i. assistant chatbot language_model llm chatgpt gpt bot_ claude openai ki_ sprachmodell asistente
    inteligencia_artificial ia_ intelligence_artificielle assistente assistent ии_ ассистент нейросет модел 人工智能 助手
    模型 机器人 人工知能 アシスタント 인공지능 어시스턴트 الذكاء مساعد सहायक yapay_zeka tro_ly asisten`,
  now: `
    from_now from_this_point henceforth hereafter going_forward instead new_ starting_now begin_ start_ next_ rather
    follow_only only_follow ab_jetzt ab_sofort von_nun stattdessen neue_ neuen nun_folgen a_partir_de de_ahora
    en_adelante en_su_lugar nueva nuevo_ a_partir desormais dorenavant maintenant nouvelle_ nouveau_ a_la_place
    a_partire_da d_ora_in invece nuov vanaf_nu in_plaats od_teraz отныне с_этого_момента теперь вместо_этого нов 现在
    从此 接下来 改为 新的 直接 今から これから 代わりに 新しい 지금부터 이제부터 대신 새로운 من_الآن بدلا الجديدة अब_से इसके_बजाय ab_se bundan_sonra
    yerine yeni_ tu_gio tu_bay_gio thay_vao_do moi_ mulai_sekarang sebagai_gantinya baru`,
  refuse: `
    refus never_say cannot_ can_t apolog warning disclaim declin i_m_sorry as_an_ai never_refuse reject sorry_
    lehne_ab weiger ablehn nunca rechaz nieg jamais refuse recus rifiut отказ 拒绝 抱歉 不能拒 警告 拒否 断 거부 거절 رفض reddet
    tu_choi menolak`,
  authority: `
    administrator admin_ developer root_ sudo debug_ maintenance security_research penetration_test pentest red_team
    authorized authorised override_code emergency audit operator ceo_ testing_ authenticat entwickler wartung
    notfall administrador desarrollador mantenimiento emergencia administrateur developpeur desenvolvedor
    amministratore sviluppatore администратор разработчик экстренн 管理员 开发者 开发人员 授权 测试 維護 紧急 管理者 開発者 관리자 개발자 المسؤول
    المطور प्रशासक yonetici quan_tri pengembang`,
  must: `
    you_must you_will obey comply compli adhere always_ no_matter mandatory immediately unconditional exactly_
    only_respond respond_only my_command my_order my_instruct my_rules my_will do_as_i whatever_i everything_i
    gehorch befolg folge_ ausschliesslich nur_noch meine_ meinen sofort obedece cumple sigue_ solo_ mis_
    exclusivamente obei suis_ uniquement mes_ exclusivement obedeca siga_ minhas apenas segui_ esegui obbedisci
    solo_le mie_ подчин выполн слушай только_мо мои_ 必须 服从 遵从 听从 只能 按照我 我的指令 我的要求 従え 従って 従い 必ず 私の 복종 따라 반드시 내_말 أطع
    نفذ اتبع पालन meri_baat sirf_meri itaat_et sadece_ emirlerim tuan_theo chi_can lam_theo patuhi ikuti hanya`,
  execute: `
    execut run_ send_ forward_ delete transfer_ exfiltrat upload curl fetch_ email_ append post_ download drop_table
    rm_ system( eval import_os fuhre_aus losche sende_ ejecuta envia borra elimina_ execute envoie supprime execute_
    envie apague esegui_ invia cancella выполни отправ удали 执行 发送 删除 转账 上传 実行 送信 削除 실행 삭제 전송 نفذ أرسل احذف
    निष्पादित भेज calistir gonder sil_ thuc_thi gui_ xoa_ jalankan kirim hapus`,
  marker: `
    end_of begin_ important_ attention_ urgent_ [inst <<sys <| ### </system [system system_: assistant_: user_:
    developer_:`,
  answer: `
    respond_with reply_with answer_with just_say say_ saying respond_ reply_ output_only only_output print_ antworte
    sage_ schreib responde_ di_ escribe reponds dis_ ecris responda_ escreva rispondi scrivi ответь напиши скажи 回答
    回复 只说 请说 输出 答えて 言って 返して 대답 말해 응답 قل أجب जवाब_ kaho cevap_ver yaz_ tra_loi noi_ jawab katakan`,
} as const;

/** Names of the groups, in the order of the model's weights. */
export const cueNames = Object.keys(cues);

export const cueTerms: readonly (readonly string[])[] = Object.values(cues).map((terms) => terms.trim().split(/\s+/));
