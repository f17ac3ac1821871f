// How figures, units, currencies and signs are said in each language. Symbols that mean several things ("g", "t", "m") are left as they
// stand: a wrong reading is worse than a short one.
import { baseLanguage } from '../language.ts'

export interface NumberWords {
  /** Symbol -> singular and plural. */
  units: Readonly<Record<string, readonly [string, string]>>
  currencies: Readonly<Record<string, readonly [string, string]>>
  /** Thousand, million, billion: singular and plural; `of` joins the last two to what is counted. */
  sizes: readonly [readonly [string, string], readonly [string, string], readonly [string, string]]
  of: string
  percent: string
  /** Before a unit after a slash: "per month". */
  per: string
  /** What follows a slash: symbol -> word. */
  spans: Readonly<Record<string, string>>
  change(from: string, to: string): string
  range(from: string, to: string): string
  plusMinus: string
  plus: string
  minus: string
  about: string
  under: string
  over: string
  atLeast: string
  atMost: string
  by: string
  and: string
  or: string
  next: string
}

/** Reads "h=hour|hours; kg=kilogram|kilograms". */
function forms(list: string): Record<string, readonly [string, string]> {
  const pairs = list.split('; ').map((entry): [string, readonly [string, string]] => {
    const [symbol = '', names = ''] = entry.split('=')
    const [one = '', many = one] = names.split('|')
    return [symbol, [one, many]]
  })
  return Object.fromEntries(pairs)
}

/** Reads "mo=month; yr=year". */
function spans(list: string): Record<string, string> {
  return Object.fromEntries(
    list
      .split('; ')
      .flatMap((entry) => (entry === '' ? [] : [entry.split('=')]))
      .map(([symbol = '', name = '']) => [symbol, name]),
  )
}

const en: NumberWords = {
  units: forms(
    'h=hour|hours; min=minute|minutes; s=second|seconds; sec=second|seconds; ms=millisecond|milliseconds; kg=kilogram|kilograms; mg=milligram|milligrams; km=kilometre|kilometres; cm=centimetre|centimetres; mm=millimetre|millimetres; ml=millilitre|millilitres; kW=kilowatt|kilowatts; kWh=kilowatt hour|kilowatt hours; MW=megawatt|megawatts; dB=decibel|decibels; °C=degree Celsius|degrees Celsius; °F=degree Fahrenheit|degrees Fahrenheit; GB=gigabyte|gigabytes; MB=megabyte|megabytes; TB=terabyte|terabytes; MiB=mebibyte|mebibytes; GiB=gibibyte|gibibytes; GHz=gigahertz|gigahertz; Mbit=megabit|megabits; ha=hectare|hectares',
  ),
  currencies: forms(
    'EUR=euro|euros; €=euro|euros; USD=dollar|dollars; $=dollar|dollars; US$=dollar|dollars; GBP=pound|pounds; £=pound|pounds; CHF=Swiss franc|Swiss francs; JPY=yen|yen; ¥=yen|yen; CNY=yuan|yuan; BRL=real|reais; R$=real|reais; SEK=Swedish krona|Swedish kronor; INR=rupee|rupees; ₹=rupee|rupees',
  ),
  sizes: [
    ['thousand', 'thousand'],
    ['million', 'million'],
    ['billion', 'billion'],
  ],
  of: ' ',
  percent: 'percent',
  per: 'per',
  spans: spans(
    'month=month; mo=month; year=year; yr=year; day=day; week=week; user=user; h=hour; hour=hour; s=second; min=minute; sec=second; seat=seat; core=core; kg=kilogram; km=kilometre',
  ),
  change: (from, to) => `from ${from} to ${to}`,
  range: (from, to) => `${from} to ${to}`,
  plusMinus: 'plus or minus',
  plus: 'plus',
  minus: 'minus',
  about: 'about',
  under: 'under',
  over: 'over',
  atLeast: 'at least',
  atMost: 'at most',
  by: 'by',
  and: 'and',
  or: 'or',
  next: 'then',
}

const es: NumberWords = {
  units: forms(
    'h=hora|horas; min=minuto|minutos; s=segundo|segundos; ms=milisegundo|milisegundos; kg=kilo|kilos; km=kilómetro|kilómetros; cm=centímetro|centímetros; mm=milímetro|milímetros; ml=mililitro|mililitros; kW=kilovatio|kilovatios; kWh=kilovatio hora|kilovatios hora; dB=decibelio|decibelios; °C=grado Celsius|grados Celsius',
  ),
  currencies: forms(
    'EUR=euro|euros; €=euro|euros; USD=dólar|dólares; $=dólar|dólares; GBP=libra|libras; £=libra|libras; CHF=franco suizo|francos suizos',
  ),
  sizes: [
    ['mil', 'mil'],
    ['millón', 'millones'],
    ['mil millones', 'mil millones'],
  ],
  of: ' de ',
  percent: 'por ciento',
  per: 'por',
  spans: spans(
    'mes=mes; año=año; día=día; semana=semana; usuario=usuario; h=hora; hora=hora; s=segundo; min=minuto; kg=kilo; km=kilómetro',
  ),
  change: (from, to) => `de ${from} a ${to}`,
  range: (from, to) => `${from} a ${to}`,
  plusMinus: 'más o menos',
  plus: 'más',
  minus: 'menos',
  about: 'unos',
  under: 'menos de',
  over: 'más de',
  atLeast: 'al menos',
  atMost: 'como máximo',
  by: 'por',
  and: 'y',
  or: 'o',
  next: 'luego',
}

const fr: NumberWords = {
  units: forms(
    'h=heure|heures; min=minute|minutes; s=seconde|secondes; ms=milliseconde|millisecondes; kg=kilo|kilos; km=kilomètre|kilomètres; cm=centimètre|centimètres; mm=millimètre|millimètres; ml=millilitre|millilitres; kW=kilowatt|kilowatts; kWh=kilowattheure|kilowattheures; dB=décibel|décibels; °C=degré Celsius|degrés Celsius',
  ),
  currencies: forms(
    'EUR=euro|euros; €=euro|euros; USD=dollar|dollars; $=dollar|dollars; GBP=livre|livres; £=livre|livres; CHF=franc suisse|francs suisses',
  ),
  sizes: [
    ['mille', 'mille'],
    ['million', 'millions'],
    ['milliard', 'milliards'],
  ],
  of: ' de ',
  percent: 'pour cent',
  per: 'par',
  spans: spans(
    'mois=mois; an=an; jour=jour; semaine=semaine; utilisateur=utilisateur; h=heure; heure=heure; s=seconde; min=minute; kg=kilo; km=kilomètre',
  ),
  change: (from, to) => `de ${from} à ${to}`,
  range: (from, to) => `${from} à ${to}`,
  plusMinus: 'plus ou moins',
  plus: 'plus',
  minus: 'moins',
  about: 'environ',
  under: 'moins de',
  over: 'plus de',
  atLeast: 'au moins',
  atMost: 'au plus',
  by: 'sur',
  and: 'et',
  or: 'ou',
  next: 'puis',
}

const de: NumberWords = {
  units: forms(
    'h=Stunde|Stunden; min=Minute|Minuten; s=Sekunde|Sekunden; ms=Millisekunde|Millisekunden; kg=Kilogramm|Kilogramm; km=Kilometer|Kilometer; cm=Zentimeter|Zentimeter; mm=Millimeter|Millimeter; ml=Milliliter|Milliliter; kW=Kilowatt|Kilowatt; kWh=Kilowattstunde|Kilowattstunden; dB=Dezibel|Dezibel; °C=Grad Celsius|Grad Celsius',
  ),
  currencies: forms('EUR=Euro|Euro; €=Euro|Euro; USD=Dollar|Dollar; $=Dollar|Dollar; GBP=Pfund|Pfund; £=Pfund|Pfund; CHF=Franken|Franken'),
  sizes: [
    ['tausend', 'tausend'],
    ['Million', 'Millionen'],
    ['Milliarde', 'Milliarden'],
  ],
  of: ' ',
  percent: 'Prozent',
  per: 'pro',
  spans: spans(
    'Monat=Monat; Jahr=Jahr; Tag=Tag; Woche=Woche; Nutzer=Nutzer; h=Stunde; Stunde=Stunde; s=Sekunde; min=Minute; kg=Kilogramm; km=Kilometer',
  ),
  change: (from, to) => `von ${from} auf ${to}`,
  range: (from, to) => `${from} bis ${to}`,
  plusMinus: 'plus minus',
  plus: 'plus',
  minus: 'minus',
  about: 'etwa',
  under: 'unter',
  over: 'über',
  atLeast: 'mindestens',
  atMost: 'höchstens',
  by: 'mal',
  and: 'und',
  or: 'oder',
  next: 'dann',
}

const pt: NumberWords = {
  units: forms(
    'h=hora|horas; min=minuto|minutos; s=segundo|segundos; ms=milissegundo|milissegundos; kg=quilo|quilos; km=quilômetro|quilômetros; cm=centímetro|centímetros; mm=milímetro|milímetros; ml=mililitro|mililitros; kW=quilowatt|quilowatts; kWh=quilowatt-hora|quilowatts-hora; dB=decibel|decibéis; °C=grau Celsius|graus Celsius',
  ),
  currencies: forms(
    'EUR=euro|euros; €=euro|euros; USD=dólar|dólares; $=dólar|dólares; R$=real|reais; BRL=real|reais; GBP=libra|libras; £=libra|libras',
  ),
  sizes: [
    ['mil', 'mil'],
    ['milhão', 'milhões'],
    ['bilhão', 'bilhões'],
  ],
  of: ' de ',
  percent: 'por cento',
  per: 'por',
  spans: spans(
    'mês=mês; ano=ano; dia=dia; semana=semana; usuário=usuário; h=hora; hora=hora; s=segundo; min=minuto; kg=quilo; km=quilômetro',
  ),
  change: (from, to) => `de ${from} para ${to}`,
  range: (from, to) => `${from} a ${to}`,
  plusMinus: 'mais ou menos',
  plus: 'mais',
  minus: 'menos',
  about: 'cerca de',
  under: 'menos de',
  over: 'mais de',
  atLeast: 'pelo menos',
  atMost: 'no máximo',
  by: 'por',
  and: 'e',
  or: 'ou',
  next: 'depois',
}

const ja: NumberWords = {
  units: forms(
    'h=時間|時間; min=分|分; s=秒|秒; kg=キログラム|キログラム; km=キロメートル|キロメートル; cm=センチメートル|センチメートル; °C=度|度',
  ),
  currencies: forms(
    'EUR=ユーロ|ユーロ; €=ユーロ|ユーロ; USD=ドル|ドル; $=ドル|ドル; GBP=ポンド|ポンド; £=ポンド|ポンド; JPY=円|円; ¥=円|円',
  ),
  sizes: [
    ['千', '千'],
    ['百万', '百万'],
    ['十億', '十億'],
  ],
  of: '',
  percent: 'パーセント',
  per: '毎',
  spans: spans(''),
  change: (from, to) => `${from}から${to}へ`,
  range: (from, to) => `${from}から${to}`,
  plusMinus: 'プラスマイナス',
  plus: 'プラス',
  minus: 'マイナス',
  about: '約',
  under: '未満',
  over: '超',
  atLeast: '以上',
  atMost: '以下',
  by: 'かける',
  and: 'と',
  or: 'または',
  next: '次に',
}

const zh: NumberWords = {
  units: forms('h=小时|小时; min=分钟|分钟; s=秒|秒; kg=公斤|公斤; km=公里|公里; cm=厘米|厘米; °C=摄氏度|摄氏度'),
  currencies: forms('EUR=欧元|欧元; €=欧元|欧元; USD=美元|美元; $=美元|美元; GBP=英镑|英镑; £=英镑|英镑; CNY=元|元; ¥=元|元'),
  sizes: [
    ['千', '千'],
    ['百万', '百万'],
    ['十亿', '十亿'],
  ],
  of: '',
  percent: '%',
  per: '每',
  spans: spans(''),
  change: (from, to) => `从${from}到${to}`,
  range: (from, to) => `${from}到${to}`,
  plusMinus: '正负',
  plus: '加',
  minus: '负',
  about: '约',
  under: '低于',
  over: '超过',
  atLeast: '至少',
  atMost: '最多',
  by: '乘',
  and: '和',
  or: '或',
  next: '然后',
}

const ar: NumberWords = {
  units: forms('kg=كيلوغرام|كيلوغرام; km=كيلومتر|كيلومتر; °C=درجة مئوية|درجة مئوية'),
  currencies: forms(
    'EUR=يورو|يورو; €=يورو|يورو; USD=دولار|دولار; $=دولار|دولار; GBP=جنيه إسترليني|جنيه إسترليني; £=جنيه إسترليني|جنيه إسترليني',
  ),
  sizes: [
    ['ألف', 'ألف'],
    ['مليون', 'مليون'],
    ['مليار', 'مليار'],
  ],
  of: ' ',
  percent: 'بالمئة',
  per: 'لكل',
  spans: spans(''),
  change: (from, to) => `من ${from} إلى ${to}`,
  range: (from, to) => `${from} إلى ${to}`,
  plusMinus: 'زائد أو ناقص',
  plus: 'زائد',
  minus: 'ناقص',
  about: 'نحو',
  under: 'أقل من',
  over: 'أكثر من',
  atLeast: 'على الأقل',
  atMost: 'على الأكثر',
  by: 'في',
  and: 'و',
  or: 'أو',
  next: 'ثم',
}

const packs: Readonly<Record<string, NumberWords>> = { en, es, fr, de, pt, ja, zh, ar }

export function numberWordsFor(tag: string): NumberWords {
  return packs[baseLanguage(tag)] ?? en
}
