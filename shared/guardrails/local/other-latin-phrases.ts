import type { LanguagePhrases } from "./compile-phrases.ts";

export const otherLatinPhrases: readonly LanguagePhrases[] = [
  {
    language: "pl",
    classes: {
      want: "chce|chcialbym|chcialabym|chcialam|chcialem|wole|wolalbym|wolalabym|mam ochote|marze|mysle|pragne|zamierzam|planuje|oby|zeby|najchetniej|mysli|boje|probowal*|proba|musze",
      kill: "zabic|powiesic|otruc|utopic|zastrzelic|skrzywdzic|okaleczyc|okaleczac|rzucic pod|rzucic sie|pociac|ciac|skonczyc ze soba|odebrac sobie zycie|targnac|podciac sobie|zrobic sobie|cos sobie zrobic|zranic|ranic",
    },
    certain: `
      $want|chec ~ sie|ze soba|sobie ~ ^$kill ! w grze|ze smiechu
      $want ~ ^zabic|powiesic|otruc|utopic|zastrzelic|pociac|okaleczyc|skrzywdzic|zranic + sie|siebie|samego siebie|sama siebie ! w grze|ze smiechu
      ^zabije|powiesze|otruje|zastrzele|potne|skoncze + sie|siebie|ze soba ! ze smiechu|jesli
      sie|siebie ~ ^zabije|powiesze|zastrzele|potne ! ze smiechu
      odebrac|odbiore|odebraniu sobie zycie|sobie zycia|swoje zycie
      ^skonczyc|koncze|skoncze + ze soba|z zyciem|z tym wszystkim|swoje zycie|wszystko na zawsze ! na dzis
      ^$want ~ umrzec|nie zyc|nie istniec|zniknac na zawsze|byc martwy|byc martwa|nie obudzic|juz sie nie obudzic|przestac istniec|przestac zyc|zdechnac ! ze|z|w grze
      zasnac|isc spac|spac ~ nie|nigdy ~ ^obudzic|budzic|wstac
      nie|juz nie|nigdy ~ chce|chcialbym|chcialabym|mam sily|mam ochoty|potrafie|daje rady ~ ^zyc|istniec|sie budzic|byc na tym swiecie|obudzic ! w|z|na|bez|jak|sam|sama|tutaj|obok|pod|dluzej w|tak
      nie chce mi sie zyc|odechcialo mi sie zyc|nie chce juz zyc ! w|z|na
      ^zmeczon*|dosc|dosyc|mecz* ~ zycia|zyciem|zyc|istnienia ! w
      nie|brak|zaden|zadnego|stracil* ~ sensu|sens|powodu|po co|dla kogo|celu|nadziei|checi ~ ^zyc|zycia|zycie|zyciu|dalej ! w|z
      zycie ~ nie ma|stracilo|jest|nie jest ~ ^sensu|sens|bezsensu|bez sensu|warte|nic warte
      bez sensu zyc|nie warto zyc|po co zyc|po co mam zyc
      ^beze mnie ~ lepiej|latwiej|szczesliwsi|szczesliwsza|lzej|spokoj*
      ^lepiej|latwiej|szczesliwsi|lzej ~ beze mnie|gdyby mnie nie|jak mnie nie|gdybym nie|gdybym umarl*|kiedy mnie nie|gdybym zniknal*
      ^wolalbym|wolalabym|chcialbym|chcialabym|zaluje|szkoda ~ nie zyc|nigdy sie nie urodzic|byc martwym|sie urodzil*|nie istniec|nie urodzic
      mysle|myslalem|myslalam|mysli|planuje|rozwazam|proba|probie|proby|probowal* ~ ^samoboj*|smierci|samobojcze ! legion
      mam|moje|mi ~ ^mysli samobojcze|mysli o samobojstwie|samobojcze mysli|mysli o smierci
      ^popelnic|popelnie samobojstwo ~ chce|mysle|zamierzam|mam
      $want ~ ^popelnic samobojstwo|samobojstwo
      ^czytasz|przeczytacie|przeczytasz|przeczytaja|czytacie|czyta|znajdziecie ~ mnie|bede|nie bede|juz nie ~ nie bedzie|martw*|nie ma|zyl*|zyc
      ^zegnajcie|zegnaj|to moje pozegnanie|list pozegnalny|listy pozegnalne|ostatnia wiadomosc ~ nie bedzie|wybacz*|przepraszam|przepraszajcie|rodzin*|nie szukajcie|nie daje rady|napisal*|swiecie
      napisal*|pisze|zostawi* ~ ^list pozegnalny|listy pozegnalne ! kole*|wspolprac*
      ^tabletki|tabletek|pigulki|lekow|leki|sznur|line|zyletk*|proszki|proszkow ~ wystarcz*|gotow*|polknal*|polkne|umrzec|skonczyc|dzis|uzbieral*|wszystkie|nazbieral*|zeby
      ^polknal*|wzial*|lykn*|polknac|wezme ~ wszystkie|cale|opakowanie|garsc|za duzo|paczke ~ tabletk*|tabletek|leki|lekow|pigul*|prosz*
      ile ~ ^tabletek|lekow|paracetamolu|pigulek|insuliny ~ umrzec|smierteln*|zabic|umarl*
      ^bezbolesn*|najszybsz*|najlatwiejsz*|bez bolu ~ umrzec|smierc|samoboj*|sie zabic|odejsc
      ^umrzec|zabic sie|odejsc ~ bezbolesnie|bez bolu|szybko i
      stoje|siedze|jestem ~ ^moscie|dachu|balkonie|torach|krawedzi|parapecie ~ skocz*|skok*|odwag*|koniec|krok
      ^skoczyc|rzucic|skocze|rzuce ~ mostu|dachu|pociag|balkonu|okna|tory|metro ! na bungee
      ^tne|kalecze|okaleczam|krzywdze|ranie + sie|siebie|sobie ! przy goleniu
      sie + ^tne|okaleczam|kalecze|pocielam|pocialem|samookaleczam|potne ! przy
      ^ciecie|cielam|cialem|pocielam|pocialem|okaleczanie + sie ~ znowu|reke|rece|ramiona|ulge
      nikt ~ ^tesknil*|zauwazy*|zaplacz*|plakal*|brakowa* ~ mn*|umre|znikn*|umarl*|gdyb*
      nikt nie bedzie za mna tesknil|nikomu mnie nie zabraknie|nikt by za mna nie tesknil
      nie ~ ^zasluguje ~ zyc|na zycie|zeby zyc
      boje|ufam|strach* ~ ^sobie cos|samego siebie|samej siebie|siebie samego|siebie samej|ze cos sobie|swoich mysli|wlasnych mysli|glupiego|nie ufam sobie ~ zrob*|nie|zrobic|dzis|sam*|sobie
      ^boje sie siebie|boje sie samego siebie|boje sie samej siebie|boje sie ze cos sobie|nie ufam sobie|boje sie wlasnych mysli|zagrozeniem dla siebie
      sobie ~ ^cos zrobie|cos zrobic|krzywde|cos glupiego ~ boje|dzis|zrobie|zrobic
      cos sobie ~ ^zrobie|zrobic|zrobil*
      glos*|glowie ~ ^mowi*|kaza*|kaze ~ zabij*|zabil*|skocz*|umrzec|umar*
      dzis|dzisiaj|jutro|dzis w nocy|tej nocy ~ ^koncze ze soba|to koniec ze mna|to zrobie|skoncze z tym|koncze to|wszystko sie skonczy|odejde na zawsze
      plan|date|dzien|sposob|miejsce ~ ^smierc*|umrzec|zabic sie|samoboj*|skonczyc ze soba|odebrac sobie
      ^tabletki|tabletek|leki|lekow|proszki ~ zbiera*|uzbiera*|nazbiera*|odklada*|odlozy*|schowa*|przygotowa*|gromadz*|zgromadz*
      zbiera*|uzbiera*|nazbiera*|odklada*|gromadz*|schowa* ~ ^tabletki|tabletek|leki|lekow|proszki
      ^sznur|line|zyletki|zyletke|bron|petle ~ kupil*|mam|gotow*|garaz*|strych* ~ dzis|gotow*|szyj*|koniec|powies*|strych*|wieczor* ! wspinacz*
      wybral*|wiem|zdecydowal* ~ ^most*|wiezow*|pociag*|tor*|dach* ~ skocz*|rzuc*
      ^do krwi|az poleci krew|az krwawi* ~ drap*|tne|sie|ciecie
      ^zyletk*|noz|nozem|zapalniczk*|papieros*|nozyczk* ~ rek*|uda|udzie|udach|nadgarst*|skor*|ramion*|przedramion*
      tne|ciel*|cial*|pocial*|pociel*|blizny|rany|przypala* ~ ^rece|rekach|nadgarstki|uda|ramiona|przedramiona|reke|nadgarstek|skore ! papier*
      ze soba|z zyciem|z tym wszystkim + ^skoncze|koncze|skonczyc ! na dzis`,
    unsure: `
      samoboj*|okalecz*|zabic sie|pociac sie
      nie daje rady|juz nie moge|nie dam rady dluzej|nienawidze swojego zycia|nienawidze siebie|chce zniknac|jestem ciezarem|bez wyjscia|nie mam juz sily|mam dosc wszystkiego`,
    fiction:
      "zapobiega*|prewencj*|szkoleni*|kurs|warsztat*|profilaktyk*|powiesc*|bohater*|postac|opowiadani*|film*|piosenk*|wiersz*|przetlumacz|dramat*|uczen|uczn*|pacjent*|proces*|golen*|kuchni|gotowa*|gra|grze",
  },
  {
    language: "tr",
    classes: {
      want: "istiyor*|isterdim|isterim|istedim|keske|dusunuyor*|dusundum|planliyor*|dilegim|diliyor*|geliyor|umuyor*|istegim|niyetim",
    },
    certain: `
      ^kendimi ~ oldur*|oldurmek|asmak|asacag*|astim|yakmak|vurmak|vuracag*|atmak|atacag*|ataca*|asmayi|oldurmeyi|oldurece*|kesmek|kesiyor*|jilet*|yarala*|zehirle* ! ise|isime|yataga|koltuga|kanepeye|ortaya|disari|tatile|eve
      ^kendime ~ zarar|kiymak|bir sey yap*|kiyaca*|kiyma*|kiysam|aci ~ ver*|kiy*|yap*|cektir*
      kendime kiy*|canima kiy*|hayatima son|yasamima son|canima kast*|kendi canima
      ^canima|hayatima|yasamima ~ son ver*|kiy*|kast*
      ^hayatima|yasamima|her seye|bu hayata ~ son ver* ! abon*
      ^intihar ~ $want|edecegim|etmek isti*|etmeyi dus*|etmeyi plan*|ediyorum|edecem|ettim|ederim|etsem|dusuncelerim*|dusuncesi ak*|aklimda*|aklima* ! timi|neden|eden|oran*
      ^intihar etmek|intihar etmeyi|intihar edece*|intihar etsem|intihari dusun*|intihar dusunce* ~ $want|var|aklim*|ben|kurtul*
      ^aklimdan|aklima|kafamda|icimden ~ intihar|olmek|olum|oldurmek ! timi
      ^olmek ~ $want ! icin
      ^olsem|olsem de|keske olsem|geberip|gebersem|olup ~ kurtul*|gitsem|iyi|rahat|keske|bitse
      keske ~ ^olsem|olsaydim|dogmasaydim|hic dogma*|hic olmasaydim|uyanmasam|uyanmasaydim|var olmasaydim
      hic dogmasaydim|hic dogmamis|dogmamis olmayi|keske dogmasaydim|yok olmak isti*|hic var olmasaydim
      uyu* ~ ^uyanma*|bir daha uyanma*|hic uyanma*
      ^uyanmamak|uyanmak ~ isti*|istemiyor*
      da|de|ta|te|nda|nde|le|la < ^yasamaktan|hayattan|yasamayi ~ biktim|yoruldum|bunaldim|usandim|istemiyor*|biktim artik|nefret ed*
      da|de|ta|te|nda|nde|le|la < yasamak istemiyor*|hayatta kalmak istemiyor*|yasamaktan yoruldum|hayattan biktim|yasamaya takatim|yasayacak gucum
      ^yasama*|hayat*|yasam* ~ neden*|sebe*|anlam*|amac*|icin|gereg* ~ yok|kalma*|bulam*|goremiyor*|yoktur|kalmamis
      ^hayatim*|hayatin ~ anlam* ~ yok|kalma*|ne
      ^yasamanin ~ anlam* ~ yok|kalma*|ne
      ^bensiz|ben olmasam|ben olmazsam|ben olmayinca|ben olsem|ben olursem|ben gidersem|yoklugum* ~ daha|herkes|mutlu*|iyi|rahat*|kolay* ! maca|toplanti*|yemeg*
      herkes|ailem|onlar|cocuklar* ~ ^bensiz|ben olmasam|ben olsem|ben yokken|yoklugumda ~ iyi|mutlu|rahat|daha|kurtul*
      ^okudugunuzda|okurken|okudugunda|okuyorsan*|buldugunuzda|okuyacag* ~ olmayacag*|olmus olaca*|gitmis|hayatta|burada olma*|coktan
      bu ~ ^veda*|son mesaj*|son mektub*|son sozler* ~ hak*|affed*|ozur|hoscakal*|beni|elveda
      ^veda mektub*|veda mektup*|intihar mektub*|intihar not* ~ yazdim|yaziyor*|biraktim|yazd* ! is|arkadas|meslek*
      ^elveda|hakkinizi helal|hakkini helal|affedin|affedin beni ~ olmayacag*|dayanam*|gidiyor*|yapama*|helal|dunya
      ^hap|haplar*|ilac*|ilaclari*|ip|jilet*|silah*|tabanca* ~ hazir*|biriktird*|yuttum|yutaca*|ictim|icece*|yeter*|hepsini ~ olmek|bu gece|kurtul*|son|ol*|bitir*|bitece*|
      hap*|ilac*|uyku hap* ~ hepsini|bir kutu|avuc|kutu* ~ ^ictim|yuttum|icece*|yutaca*|icmek
      ^kac ~ hap*|ilac|tablet*|parol ~ oldur*|ol*|olum*
      acisiz|en kolay|en hizli|agrisiz ~ ^olum|olmenin|intihar|olmek
      kopru*|cati*|balkon*|ray* ~ ^atla*|atlay*|kendimi|bosluga ! yamac
      ^trenin|metronun|arabanin + onune ~ atla*|kendimi|at*
      ^kollarimi|bileklerimi|bilegimi|kolumu|bacaklarimi ~ kes*|jilet*|ciz*
      ^kimse ~ ozleme*|fark etme*|yoklugum*|umursama*|aglama* ~ olsem|beni|yok|olursem
      kimse beni ozlemez|kimse yoklugumu fark etmez|kimse fark etmez olsem
      yasamayi hak etmiyor*|yasamaya hakkim yok|olmeyi hak ed*
      her sey* ~ bitir*|son ver* ~ ^bu gece|artik|istiyor* ! proje*|odev*
      korkuyorum|korkuyor*|guvenmiyorum|guvenemiyorum ~ ^kendime|kendimden|kendimi ~ bir sey|zarar|yap*|guven*|oldur*|bu gece|yalniz
      kendime|kendimi ~ ^bir sey yap*|zarar ver*|bir seyler yap*|oldur*|kotu bir sey ~ korku*|diye|bu gece|endise*
      ^kendimden korkuyorum|kendime guvenmiyorum|kendime bir sey yapmaktan|kendime zarar vermekten|kendi dusuncelerimden korku*|kendim icin tehlike*
      sesler|ses|kafam* ~ ^soylu*|diyor|emredi* ~ oldur*|atla*|ol|zarar
      bu gece|yarin|bugun|bu aksam ~ ^hayatima son|her seyi bitir*|her sey bitecek|canima kiy*|intihar|bitirecegim|son verecegim ! proje*|odev*
      plan*|tarih*|gun*|yontem*|yer* ~ ^olmek icin|intihar*|canima|kendimi oldur*|hayatima son|olumum*
      ^haplari|haplar|ilaclari|ilaclar|uyku haplari|hap ~ biriktir*|topla*|sakla*|hazirla*|depola*|hazir
      biriktir*|topla*|sakladim|hazirla* ~ ^hap*|ilac* ~ olmek|yut*|icmek|bitir*|bu gece|hepsi*|son
      ^ip|urgan|jilet*|silah|tabanca ~ aldim|hazir*|bodrum*|garaj* ~ bu gece|hazir*|boyn*|son|as*|bitir* ! tirmanis*
      sectim|biliyorum|karar verdim ~ ^kopru*|bina*|tren*|cati* ~ atla*|atla|kendimi
      ^kanayana kadar|kanatana kadar|kan gelene kadar ~ kendim*|kes*|tirma*|kol*|cildim*
      ^jilet*|bicak*|cakmak*|makas*|sigara* ~ kolum*|kollarim*|bacag*|bilegim*|bileklerim*|cildim*|derim*|bacaklarim* ! tras
      kes*|cizi*|cizd*|yak*|yara* ~ ^kolumu|kollarimi|bacagimi|bacaklarimi|bilegimi|bileklerimi|kollarimda|kolumda
      ^kendimi ~ kesiyor*|kestim|kesmeye|yaraliyor*|yaraladim|kesmek|cizmeye|yakiyor* ~ yine|tekrar|yeniden|bas*|dur*|gizli|birak*|her
      kendimi ~ ^kesiyorum|kestim|kesmeye|yaraliyorum|jiletliyorum|jiletledim ! tras
      ^canima tak etti yasamak|yasamak icin sebep`,
    unsure: `
      intihar*|kendime zarar|kendimi kes*|olmek ist*
      dayanamiyor*|dayanacak gucum|katlanamiyor*|kendimden nefret|hayatimdan nefret|yok olmak|herkese yukum|yuk oldum|cikis yolu yok|artik yapam*|tukendim`,
    fiction:
      "onleme*|egitim*|seminer*|kurs|roman*|karakter*|hikaye*|film*|sarki*|siir*|cevir|tercume|tiyatro|ogrenci*|hasta*|danisan*|surec*|surec|process|tras*|yemek|oyun*",
  },
  {
    language: "vi",
    typical: /\b(?:toi|minh|khong|chang|muon|nguoi|chet|nua|duoc|cuoc|thuoc|nhung|tu tu|tu sat)\b/,
    classes: {
      want: "muon|uoc gi|uoc|uoc rang|gia nhu|nghi den|nghi toi|dinh|tinh|tung nghi|nghi ve",
    },
    certain: `
      tu tu|tu sat|tu van|ket lieu|quyen sinh|treo co|ket thuc cuoc doi|cham dut cuoc doi|ket thuc cuoc song|cham dut cuoc song|tu ket lieu|ket thuc tat ca ~ ^muon|nghi|toi|minh|em|con|chinh minh|doi minh
      toi|minh|em|con|tao|to|tui ~ ^$want|nghi|cu|luon|se ~ tu tu|tu sat|tu van|ket lieu|quyen sinh|treo co|nhay cau|nhay lau|ket thuc cuoc doi|cham dut cuoc doi|giet ban than|giet chinh minh|ket thuc tat ca|chet ! nhanh|vi|cuoi|dong
      ^$want ~ tu tu|tu sat|ket lieu|quyen sinh|chet quach|chet di|chet cho xong|chet|bien mat mai mai|giet ban than|tu giet minh|ket thuc cuoc doi|khong ton tai ! cuoi|vi|dong|dan|may
      ^chuyen tu tu|chuyen tu sat|y dinh tu tu|y nghi tu tu|y dinh tu sat|y nghi tu sat|suy nghi tu tu|suy nghi tu sat ~ toi|em|minh|con|ai|dau|luon|hien
      toi|minh|em|con|co ~ ^y dinh|y nghi|suy nghi ~ tu tu|tu sat|muon chet ! hoc sinh|benh nhan
      khong|chang|khong con|chan|het|met moi ~ ^muon|thiet|tha thiet ~ song|ton tai|thuc day ! o|voi|chung|tai|trong|cung|xa|gan|canh
      chan song|chan doi|chan ghet cuoc song|met moi voi cuoc song|qua met moi voi cuoc doi|het muon song|khong thiet song|song khong bang chet|tha chet con hon|song khong con y nghia
      khong|chang|khong con|chang con|mat ~ ly do|li do|y nghia|muc dich|dong luc|gi ~ ^de song|song tiep|cuoc song|cuoc doi|song nua|de tiep tuc song ! o|voi
      ^cuoc song|cuoc doi|song ~ khong con|khong|chang con|vo ~ y nghia|dang song|nghia
      ^song|ton tai + de lam gi|lam gi nua|co y nghia gi
      ^ngu ~ khong|dung|mai mai|khong bao gio ~ tinh lai|tinh day|thuc day|day nua|tinh nua
      khong co|vang|thieu + toi|minh|em|con|tao ~ ^tot hon|hanh phuc|nhe|do kho|do khoi|vui hon|nhe ganh|nhe nhom
      ^tot hon|hanh phuc hon|nhe nhom|nhe ganh|de song hon|nhe no|do kho ~ khong co|thieu|vang + toi|minh|em|con ! be|gai|trai|dau
      ^doc|doc duoc|xem|thay|tim thay ~ nay|thu|dong|tin ~ toi|minh|em|con ~ khong con|da di|chet|da mat|ra di|roi xa
      thu|loi|la thu|tin nhan ~ ^tuyet menh|vinh biet|tu biet|cuoi cung ~ toi|minh|em|con|xin loi|gia dinh|bo me|moi nguoi
      ^vinh biet|tam biet ~ moi nguoi|xin loi|tha thu|kiep sau|the gian|cuoc doi ! dong nghiep
      ^thu tuyet menh|viet thu tuyet menh|viet thu vinh biet ~ toi|em|minh|xong|roi
      uong|nuot|gom|tich tru|mua|chuan bi|da co ~ ^thuoc ngu|thuoc|day thung|dao lam|vien thuoc|thuoc sau|lo thuoc ~ chet|tu tu|ket thuc|het|toi nay|ra di|ca lo|du|san
      ^uong|nuot ~ ca lo|ca vi|het|nhieu|qua lieu ~ thuoc ngu|thuoc
      ^bao nhieu ~ vien|thuoc|paracetamol|lieu ~ chet|tu tu|tu vong
      ^cach ~ chet|tu tu|tu sat ~ khong dau|nhe nhang|nhanh|it dau|nhanh nhat
      ^chet ~ khong dau|it dau don|khong dau don|nhe nhang nhat
      ^dung|ngoi|len|tren|nhay|gieo minh|lao ~ cau|san thuong|lan can|tang|lau|tau|duong ray ~ nhay|xuong|ket thuc|het|tu tu|dau tau
      muon|dinh|se|dang ~ ^nhay cau|nhay lau|nhay xuong cau|nhay tu tang|lao vao tau|nhay xuong song|nhay tu tren
      ^cat|rach|lam dau|lam ton thuong|hanh ha + ban than|chinh minh|minh|co tay|tay minh|tay ~ lai|nua|toi|de|moi|khong dung|dem|cam thay|giai toa|khong ngung
      ^toi|minh|em|con ~ cat tay|rach tay|cua tay|tu lam dau|lam dau ban than|lam hai ban than|tu hai ban than|tu cat|lam dau chinh minh ! khi nau|khi thai
      khong ai|chang ai|co ai ~ nho|thuong|quan tam|de y|nhan ra|buon|khoc ~ ^chet|bien mat|toi chet|minh chet|em chet|ra di|khong con
      khong dang song|khong xung dang duoc song|khong dang duoc song|gia nhu toi chua tung|uoc gi toi chua tung sinh ra|gia nhu minh chua tung duoc sinh ra
      ^chua tung|dung ~ sinh ra|ton tai|duoc sinh ra ~ doi|toi|minh|tren doi
      ^so|lo ~ toi|minh|em|con ~ lam dieu dai dot|lam gi ban than|lam hai minh|lam dai|lam hai ban than
      so|lo|khong tin ~ toi|minh|em|con|ban than ~ ^lam dieu|lam gi|lam hai|dai dot|lam dai|chinh minh|ban than ~ ban than|dai dot|minh|dem nay|mot minh
      ^so chinh minh|so ban than minh|khong tin duoc ban than|khong tin tuong ban than|so minh se lam|so toi se lam|so minh lam dieu|khong an toan voi chinh minh
      lam ~ ^dieu dai dot|chuyen dai dot ~ so|voi ban than|dem nay|toi|em|minh
      giong noi|trong dau ~ ^bao|bao toi|xui|ra lenh ~ chet|nhay|tu|giet
      dem nay|toi nay|ngay mai|hom nay ~ toi|minh|em|con ~ se ~ ^ket thuc|cham dut|ra di mai mai|ket lieu|ra di ~ tat ca|cuoc doi|moi thu|mai mai|doi
      ke hoach|ngay|cach|cho ~ ^tu tu|tu sat|de chet|ket thuc cuoc|cai chet cua toi|ket lieu
      gom|tich|giau|de danh|mua|tich tru ~ ^thuoc ngu|vien thuoc|thuoc tru sau|day thung ~ du|san|roi|de|chet|toi|dem
      chon|biet|quyet dinh ~ ^cau|toa nha|tau|vuc|san thuong ~ nhay|lao|gieo
      ^chay mau|ra mau|bat mau ~ cao|cat|rach|cho den khi|tay
      ^dao lam|luoi lam|bat lua|keo|dao rach giay|tan thuoc ~ tay|co tay|dui|da|dot|chan ~ toi|minh|em|lai|rach|cat|cua
      cat|rach|cao|dot|cua ~ ^tay|co tay|dui|canh tay|chan ~ minh|toi|em|cua minh ~ lai|nua|de|dem|giau|moi|bot|khong`,
    unsure: `
      tu tu|tu sat|quyen sinh|tu hai|lam dau ban than
      khong chiu noi nua|khong chiu duoc nua|khong the tiep tuc|ghet ban than|ghet cuoc song|muon bien mat|la ganh nang|be tac|tuyet vong|buong xuoi`,
    fiction:
      "phong chong|phong ngua|dao tao|tap huan|hoi thao|tieu thuyet|nhan vat|truyen|phim|bai hat|loi bai|bai tho|dich cau|dich sang|vo kich|hoc sinh|benh nhan|tien trinh|nau an|cao rau|tro choi|game|chi pheo|biet doi",
  },
  {
    language: "hi-Latn",
    classes: {},
    certain: `
      mai|mein|main|mujhe|ab|bas ~ ^marna|mar jana|khudkushi|suicide|aatmahatya ~ chahta|chahti|karna|karne|karunga|karungi|karlu|hai mujhe ! squad
      ^jeena|jina|jeene|zinda ~ nahi|nahin|nai ~ chahta|chahti|hai|rehna|mann|man
      khud ko|apne aap ko ~ ^khatam|maar|nuksan|hurt|kaat ~ lu|lunga|lungi|du|dunga|raha|rahi|karna|dalu
      ^jeene ki koi wajah|zindagi khatam|jaan de dunga|jaan de dungi|mar jau|mar jaun|mar jaungi|mar jaunga`,
    unsure: `
      khudkushi|aatmahatya`,
    fiction: "film|movie|kahani|song|gaana|novel",
  },
];
