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

interface Validator {
  validate(value: string): { readonly isValid: boolean };
}

/** Validates the number of the Russian pension insurance (СНИЛС) by its two check digits. */
const russianSnils: Validator = {
  validate(value) {
    const digits = Array.from(value, Number);
    const sum = digits.slice(0, 9).reduce((total, digit, at) => total + digit * (9 - at), 0);
    return { isValid: digits.length === 11 && (sum % 101) % 100 === Number(value.slice(9)) };
  },
};

/** Words for numbers of persons and taxpayers, and the numbers that they can name. */
const table: readonly (readonly [words: string, ...validators: Validator[]])[] = [
  ["sin|social insurance(?: number| no)?|nas|assurance sociale", canadianSin],
  ["(?:sa |rsa )?id (?:number|no)|identity number", southAfricanId],
  ["tfn|tax file (?:number|declaration)", australianTfn],
  ["pps(?:n| ?(?:number|no))?(?:['’]s)?", irishPps],
  ["ahv(?:-?n(?:umme)?r)?|(?:n|n[°o] ?)?avs(?:13)?", swissSsn],
  [
    "sv[ -]?n(?:umme)?r|sozialversicherungsnummer|rentenversicherungsnummer|versicherungsnummer",
    austrianVnr,
    germanSvnr,
  ],
  ["cui[tl]", argentineCuit],
  ["rut|run", chileanRut],
  ["curp", mexicanCurp],
  ["nif|contribuinte", portugueseNif],
  ["rijksregister\\p{L}{0,6}|registre national|nationaal nummer|niss|insz", belgianNn],
  ["nip", polishNip],
  ["rodn[ée] č[ií]sl[oa]|r\\.? ?č\\.?", czechRc],
  ["f[øo]dselsnumme?r\\p{L}{0,3}|fnr|personnummer", norwegianFodselsnummer],
  ["cpr(?:[ -]?n(?:umme)?r)?", danishCpr],
  ["hetu\\p{L}{0,4}|henkilötunnu\\p{L}{1,6}|personbeteckning", finnishHetu],
  ["kennit[aö]l\\p{L}{0,3}", icelandicKennitala],
  ["инн", russianInn],
  ["снилс|страховой номер", russianSnils],
  ["рнокпп|іпн|ідентифікаційн\\p{L}{2} (?:код|номер)", ukrainianRntrc],
  ["ת\\.? ?ז\\.?|תעודת זהות|מספר ה?זהות", israeliId],
  ["αφμ|α\\.φ\\.μ\\.|afm", greekVat],
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
  ["ird(?: ?(?:number|no))?", newZealandIrd],
  ["nit", colombianNit],
  ["ruc", peruvianRuc],
  ["c[eé]dula|c\\.?i\\.?", uruguayanCedula, ecuadorianCi],
  ["cnpj", brazilianCnpj],
  ["fiscal|spi", frenchNif],
  ["seguridad social|nss|nuss", spanishNss],
];

/** The same for scripts without spaces between words. */
const otherTable: readonly (readonly [words: string, ...validators: Validator[]])[] = [
  ["身份证|居民身份", chineseRic],
  ["身分證", taiwaneseUi, hongKongId],
  ["身份證", hongKongId],
  ["บัตรประชาชน|เลขประจำตัวประชาชน", thaiId],
];

const bounded = (words: string) => `(?<![\\p{L}\\d])(?:${words})(?![\\p{L}\\d])`;

const rows = [
  ...table.map(([words, ...validators]) => ({ words: new RegExp(bounded(words), "iu"), validators })),
  ...otherTable.map(([words, ...validators]) => ({ words: new RegExp(words, "u"), validators })),
];

/** Maximum distance between the word and the number, in characters. */
const MAX_DISTANCE = 60;

/** Numbers of persons and taxpayers of 44 kinds: with a valid check digit, after their name. */
export const validatedNumbers: Omit<SensitiveFormat, "category"> = {
  kind: "identity number",
  score: 0.9,
  pattern:
    /(?<![A-Za-z\d])(?:[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d|[A-Z]{0,2}\d(?:[ ./-]?\d){5,17}(?:(?:-| ?)[A-Za-z]{1,2}|\(\d\)|[ +A-F-]{1,2}[A-Z]? ?\d{3}[A-Z]?|[A-Z]\d{3})?)(?![A-Za-z\d])/,
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
