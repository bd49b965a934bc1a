import * as argentineCuit from "stdnum/lib/cjs/ar/cuit.js";
import * as austrianVnr from "stdnum/lib/cjs/at/vnr.js";
import * as australianTfn from "stdnum/lib/cjs/au/tfn.js";
import * as belgianNn from "stdnum/lib/cjs/be/nn.js";
import * as bulgarianEgn from "stdnum/lib/cjs/bg/egn.js";
import * as brazilianCnpj from "stdnum/lib/cjs/br/cnpj.js";
import * as canadianSin from "stdnum/lib/cjs/ca/sin.js";
import * as swissSsn from "stdnum/lib/cjs/ch/ssn.js";
import * as chileanRut from "stdnum/lib/cjs/cl/rut.js";
import * as chineseRic from "stdnum/lib/cjs/cn/ric.js";
import * as colombianNit from "stdnum/lib/cjs/co/nit.js";
import * as czechRc from "stdnum/lib/cjs/cz/rc.js";
import * as germanSvnr from "stdnum/lib/cjs/de/svnr.js";
import * as danishCpr from "stdnum/lib/cjs/dk/cpr.js";
import * as ecuadorianCi from "stdnum/lib/cjs/ec/ci.js";
import * as estonianIk from "stdnum/lib/cjs/ee/ik.js";
import * as spanishNss from "stdnum/lib/cjs/es/nss.js";
import * as finnishHetu from "stdnum/lib/cjs/fi/hetu.js";
import * as frenchNif from "stdnum/lib/cjs/fr/nif.js";
import * as greekAmka from "stdnum/lib/cjs/gr/amka.js";
import * as greekVat from "stdnum/lib/cjs/gr/vat.js";
import * as hongKongId from "stdnum/lib/cjs/hk/hkid.js";
import * as croatianOib from "stdnum/lib/cjs/hr/oib.js";
import * as irishPps from "stdnum/lib/cjs/ie/pps.js";
import * as israeliId from "stdnum/lib/cjs/il/idnr.js";
import * as icelandicKennitala from "stdnum/lib/cjs/is/kennitala.js";
import * as lithuanianAsmens from "stdnum/lib/cjs/lt/asmens.js";
import * as latvianPvn from "stdnum/lib/cjs/lv/pvn.js";
import * as mexicanCurp from "stdnum/lib/cjs/mx/curp.js";
import * as malaysianNric from "stdnum/lib/cjs/my/nric.js";
import * as norwegianFodselsnummer from "stdnum/lib/cjs/no/fodselsnummer.js";
import * as newZealandIrd from "stdnum/lib/cjs/nz/ird.js";
import * as peruvianRuc from "stdnum/lib/cjs/pe/ruc.js";
import * as polishNip from "stdnum/lib/cjs/pl/nip.js";
import * as portugueseNif from "stdnum/lib/cjs/pt/nif.js";
import * as romanianCnp from "stdnum/lib/cjs/ro/cnp.js";
import * as serbianJmbg from "stdnum/lib/cjs/rs/jmbg.js";
import * as russianInn from "stdnum/lib/cjs/ru/inn.js";
import * as slovenianEmso from "stdnum/lib/cjs/si/emso.js";
import * as thaiId from "stdnum/lib/cjs/th/idnr.js";
import * as taiwaneseUi from "stdnum/lib/cjs/tw/ui.js";
import * as ukrainianRntrc from "stdnum/lib/cjs/ua/rntrc.js";
import * as uruguayanCedula from "stdnum/lib/cjs/uy/cedula.js";
import * as southAfricanId from "stdnum/lib/cjs/za/idnr.js";
import type { SensitiveFormat } from "../sensitive-pattern.ts";
import {
  isAadhaar,
  isBrazilianCpf,
  isDutchBsn,
  isItalianTaxCode,
  isJapaneseMyNumber,
  isPolishPesel,
  isSpanishIdentityNumber,
  isSwedishPersonnummer,
  isTurkishTckn,
} from "./checksums.ts";

type Format = Omit<SensitiveFormat, "category">;

interface Validator {
  validate(value: string): { readonly isValid: boolean };
}

const accepts = (isValid: (compact: string) => boolean): Validator => ({
  validate: (value) => ({ isValid: isValid(value) }),
});

/** Validates the number of the Russian pension insurance (СНИЛС) by its two check digits. */
const russianSnils: Validator = {
  validate(value) {
    const digits = Array.from(value, Number);
    const sum = digits.slice(0, 9).reduce((total, digit, at) => total + digit * (9 - at), 0);
    return { isValid: digits.length === 11 && (sum % 101) % 100 === Number(value.slice(9)) };
  },
};

type Row = readonly [words: string, ...validators: Validator[]];

/** Words for numbers of persons, and the numbers that they can name. */
const identityNumbers: readonly Row[] = [
  ["sin|social insurance(?: number| no)?|nas|assurance sociale", canadianSin],
  ["(?:sa |rsa )?id (?:number|no)|identity number", southAfricanId],
  ["pps(?:n| ?(?:number|no))?(?:['’]s)?", irishPps],
  ["ahv(?:-?n(?:umme)?r)?|(?:n|n[°o] ?)?avs(?:13)?", swissSsn],
  ["curp", mexicanCurp],
  ["rijksregister\\p{L}{0,6}|registre national|nationaal nummer|niss|insz", belgianNn],
  ["rodn[ée] č[ií]sl[oa]|r\\.? ?č\\.?", czechRc],
  ["f[øo]dselsnumme?r\\p{L}{0,3}|fnr|personnummer", norwegianFodselsnummer],
  ["cpr(?:[ -]?n(?:umme)?r)?", danishCpr],
  ["hetu\\p{L}{0,4}|henkilötunnu\\p{L}{1,6}|personbeteckning", finnishHetu],
  ["kennit[aö]l\\p{L}{0,3}", icelandicKennitala],
  ["снилс|страховой номер", russianSnils],
  ["ת\\.? ?ז\\.?|תעודת זהות|מספר ה?זהות", israeliId],
  ["αμκα|amka", greekAmka],
  ["cnp\\p{L}{0,2}", romanianCnp],
  ["oib", croatianOib],
  ["егн", bulgarianEgn],
  ["em[šs]o", slovenianEmso],
  ["jmbg|јмбг", serbianJmbg],
  ["isikukood\\p{L}{0,2}", estonianIk],
  ["personas kod\\p{L}{0,2}", latvianPvn],
  ["asmens kod\\p{L}{0,2}", lithuanianAsmens],
  ["hkid", hongKongId],
  ["mykad|nric", malaysianNric],
  ["c[eé]dula|c\\.?i\\.?", uruguayanCedula, ecuadorianCi],
  ["seguridad social|nss|nuss", spanishNss],
  [
    "sv[ -]?n(?:umme)?r|sozialversicherungsnummer|rentenversicherungsnummer|versicherungsnummer",
    austrianVnr,
    germanSvnr,
  ],
  ["pesel\\p{L}{0,3}", accepts(isPolishPesel)],
  ["t\\.? ?c\\.?|tckn|kimlik", accepts(isTurkishTckn)],
  ["bsn|burgerservicenummer|sofinummer", accepts(isDutchBsn)],
  ["person(?:nr|nummer)\\p{L}{0,3}|pnr", accepts(isSwedishPersonnummer)],
  ["dni|nie", accepts(isSpanishIdentityNumber)],
  ["my ?number", accepts(isJapaneseMyNumber)],
  ["aadha?ar|uidai|आधार", accepts(isAadhaar)],
];

/** The same for scripts without spaces between words. */
const otherIdentityNumbers: readonly Row[] = [
  ["身份证|居民身份", chineseRic],
  ["身分證", taiwaneseUi, hongKongId],
  ["身份證", hongKongId],
  ["บัตรประชาชน|เลขประจำตัวประชาชน", thaiId],
  ["個人番号|マイナ", accepts(isJapaneseMyNumber)],
];

const taxNumbers: readonly Row[] = [
  ["tfn|tax file (?:number|declaration)", australianTfn],
  ["cui[tl]", argentineCuit],
  ["rut|run", chileanRut],
  ["nif|contribuinte", portugueseNif, accepts(isSpanishIdentityNumber)],
  ["nip", polishNip],
  ["инн", russianInn],
  ["рнокпп|іпн|ідентифікаційн\\p{L}{2} (?:код|номер)", ukrainianRntrc],
  ["αφμ|α\\.φ\\.μ\\.|afm", greekVat],
  ["ird(?: ?(?:number|no))?", newZealandIrd],
  ["nit", colombianNit],
  ["ruc", peruvianRuc],
  ["cnpj", brazilianCnpj],
  ["fiscal|spi", frenchNif],
  ["cpf", accepts(isBrazilianCpf)],
  ["cf|codice fiscale", accepts(isItalianTaxCode)],
];

const bounded = (words: string) => `(?<![\\p{L}\\d])(?:${words})(?![\\p{L}\\d])`;

/** Maximum distance between the word and the number, in characters. */
const MAX_DISTANCE = 60;

/** Returns the format of numbers that are valid by the validator of a word before them. */
function announced(kind: string, table: readonly Row[], otherTable: readonly Row[] = []): Format {
  const rows = [
    ...table.map(([words, ...validators]) => [bounded(words), validators] as const),
    ...otherTable.map(([words, ...validators]) => [words, validators] as const),
  ].map(([words, validators]) => ({ words: new RegExp(words, "iu"), validators }));
  return {
    kind,
    score: 0.9,
    pattern:
      /(?<![A-Za-z\d])(?:[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z]|[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d|[A-Za-z]{0,2}\d(?:[ ./+-]?\d){5,17}(?:(?:-| ?)[A-Za-z]{1,2}|\(\d\)|[ +A-F-]{1,2}[A-Z]? ?\d{3}[A-Z]?|[A-Z]\d{3})?)(?![A-Za-z\d])/,
    cue: {
      words: new RegExp(
        [bounded(table.map(([words]) => words).join("|")), ...otherTable.map(([words]) => words)].join("|"),
        "iu",
      ),
      gap: /[\s\S]{1,60}/,
    },
    measure(match, before) {
      const compact = match.replace(/[^A-Za-z\d]/g, "").toUpperCase();
      const near = before.slice(-MAX_DISTANCE);
      const isValid = rows.some(
        ({ words, validators }) => words.test(near) && validators.some((each) => each.validate(compact).isValid),
      );
      return isValid ? match.length : 0;
    },
  };
}

/** Formats of numbers of persons and taxpayers that have a check digit, after the word for them. */
export const announcedNumbers: readonly Format[] = [
  announced("identity number", identityNumbers, otherIdentityNumbers),
  announced("tax number", taxNumbers),
];
