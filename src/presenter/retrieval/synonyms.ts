// Words that ask for the same thing, by language: versioned by hand, of general use, none taken from a deck or a benchmark.
// A ring lets "How heavy is it?" meet "weight"; a match through a ring counts for less than the word itself (question.ts).
import { generalRings } from './synonyms-general.ts'
import { baseLanguage } from '../../decks/language.ts'
import { lazily } from '../../kernel/lazily.ts'
import { stemOf } from './tokens.ts'
import { fold } from './fold.ts'

const rings: Record<string, string> = {
  en: `
price cost fee charge rate tariff pricing expense pay costs priced; cheap affordable discount rebate reduction saving;
buy purchase order acquire; free gratis complimentary charge; trial pilot test try demo evaluation proof;
subscription plan tier package licence license edition; contract agreement term commitment;
cancel terminate end quit leave cancellation unsubscribe; refund reimburse money-back repayment; invoice bill billing receipt;
payment pay card paid; start begin launch commence kick-off onset;
found establish create set-up start founder foundation inception originate; finish end complete close conclude stop;
last duration long endurance lifetime life; battery charge power accumulator cell; recharge charge charging;
weigh heavy weight mass light kg; tall high height; deep depth; wide width broad; loud noise noisy sound decibel db quiet silent;
hot warm temperature heat cold degree celsius; fast quick speed rapid swift latency time soon; slow delay lag late;
big large size dimension great huge; small little tiny compact minor; store keep retain save hold storage host stored kept;
delete erase remove wipe purge; data information record; secure safe security safety protect protection encrypt encryption tls;
private privacy confidential;
certify certificate approve approval accredit certification approved clearance cleared comply compliance standard conform iso;
allow permit may permission authorise authorize let; forbid ban prohibit disallow never;
clean wash wipe disinfect sterilise sterilize cleaning hygiene; repair fix mend replace maintain maintenance service;
maintenance upkeep servicing inspection; warranty guarantee cover; break fail failure fault defect breakdown broken;
error mistake fault wrong inaccuracy; accurate precise accuracy precision correct exact tolerance right;
install mount fit set-up installation fitted setup attach assemble deploy; uninstall remove dismantle;
update upgrade release patch firmware; connect link integrate integration connector interface plug connection couple api;
network internet wifi coverage connection connectivity online; offline disconnected coverage;
device unit machine equipment hardware gadget apparatus; software app application program platform cloud;
phone telephone call mobile smartphone; email e-mail mail message; contact reach talk write address;
support help assistance service; language translate translation localised; country nation state market; city town municipality;
office location site headquarters branch based; customer client user buyer purchaser;
employee staff worker people personnel team headcount workforce; boss leader chief head director ceo executive manager;
train training course lesson teach learn onboarding instruct; school university college academy;
doctor physician medic clinician; nurse carer caregiver; patient resident; child kid pupil infant; parent father mother guardian;
lead guide chair command rule govern; alarm alert warning notification notify;
send transmit deliver transfer forward submit sent ship; deliver ship delivery shipping lead-time arrive dispatch;
arrive reach come arrival; receive get obtain accept; show display present indicate screen;
measure sensor sense gauge detect monitor record; detect find spot discover notice catch recognise recognize identify;
colour color paint; made material built construct manufacture produce consist composed; factory plant manufacturer;
waterproof water rain ip65 ip66 ip67 ip68 ip69k splash dust weatherproof; outdoor outside weather; water rain moisture;
recycle recyclable reuse recycled; carbon co2 emission climate footprint greenhouse;
energy power electricity consumption watt kwh; save reduce cut lower decrease drop shrink fall decline saving fewer less;
increase grow raise rise gain growth improve more boost expand; result outcome effect achieve benefit impact;
return payback roi amortise profit; revenue turnover sales income earn; money cash fund finance capital;
invest investor investment funding; goal aim target objective purpose; reason cause why because due;
problem issue challenge difficulty pain trouble; risk danger hazard; solution answer fix; feature function capability;
limit maximum max cap ceiling most; minimum min least; average mean typical median; capacity volume hold amount;
range distance reach radius far; area surface region zone territory district; car vehicle automobile van truck;
bicycle bike cycle; train railway rail locomotive; ship boat vessel; plane aircraft airplane flight;
travel journey trip ride drive; road street route way path; house home building; flat apartment; room space hall;
food meal dish eat; drink beverage; animal livestock pet; plant crop harvest; farmer grower farm;
kill murder slay death die dead; war battle conflict fight combat fighting; army troops soldiers forces military;
win victory defeat beat conquer triumph won; lose loss defeat lost; attack raid assault invade strike invasion;
king monarch emperor ruler queen royal crown; law rule act legislation statute regulation; vote elect election ballot;
parliament legislature assembly; member participant; religion faith church belief religious;
write author written compose publish wrote; book publication; speak say talk tell; name call title term known;
meaning mean definition define stand; type kind sort form category class; part component piece element portion; group team band;
begin origin birth born; old age ancient; new modern recent latest; yearly annual year annually; monthly month; weekly week;
daily day; hourly hour; twice two double; often frequency frequently every interval; first initial earliest;
main chief primary principal major; important significant key crucial; near close next adjacent; different various other diverse;
similar alike same; famous known notable; several many numerous multiple; job position role occupation work; pay salary wage;
move shift migrate transfer migration relocate switch; import upload load; export download; backup copy;
access login permission sign-in sso authentication; password credential; admin administrator; share split; partner reseller;
competitor rival alternative; example instance case; reference case customer; compare versus difference;
choose select pick option; require need demand must necessary; optional extra additional; remind reminder notify;
duplicate double; paper print; picture image photo photograph; scan read; book reserve appointment schedule; open hours opening;
close shut; insurance insure insured policy; tax vat duty; stock inventory; supply provide furnish; height altitude elevation;
length long; born birth; settle settlement settler colony colonist; people population inhabitant resident; language tongue speak;
allow let enable; oppose resist opposition against; support back favour endorse; agree agreement treaty accord;
describe portray depict; believe think consider; influence affect effect impact; control dominate rule; divide split separate;
form create establish; belong member part;
subsidy grant funding aid; abroad foreign overseas international; wear clothes clothing dress; trade goods merchandise;
register registration enrol enroll join sign;
guarantee warranty promise; learn teach cover; hire recruit employ;
`,
  es: `
precio coste costo tarifa cuesta cuestan vale pagar valor; gratis gratuito gratuita prueba piloto ensayo; peso pesa pesado kg;
dura duracion autonomia bateria; plazo entrega llega tarda envio; garantia cobertura; datos informacion;
guardan almacenan alojan conservan almacenados; idioma lengua idiomas; instalar montar instalacion montaje colocar;
contacto escribir telefono correo; cancelar baja rescindir; contrato permanencia; formacion curso capacitacion;
fundada empezo nacio fundacion creada; clientes usuarios; aviso alarma alerta; mantenimiento revision servicio;
ruido ruidoso db silencioso decibelios; rapido velocidad; empleados personas plantilla; limpiar limpieza lavar;
`,
  fr: `
prix cout tarif coute coutent payer frais; gratuit essai pilote; poids pese lourd kg; dure duree autonomie batterie;
livraison delai livrer arrive; garantie couvert; donnees informations; stockees conservees hebergees hebergement gardees;
langue langues; installer monter installation pose montage; contact ecrire telephone courriel; resilier annuler resiliation;
contrat engagement; formation cours; fondee creee debut fondation; clients utilisateurs; alerte alarme;
entretien maintenance revision; bruit bruyant db silencieux decibels; rapide vitesse; employes salaries personnes;
nettoyer nettoyage laver;
`,
  de: `
preis kosten kostet gebuhr tarif zahlen bezahlen preise; kostenlos gratis kostenfrei test probe pilot probezeit testphase;
gewicht wiegt schwer kg; halt dauer laufzeit akku batterie akkulaufzeit; lieferung lieferzeit liefern geliefert;
garantie gewahrleistung; daten informationen; gespeichert speichern aufbewahrt liegen hosting; sprache sprachen;
installieren montieren montage einbau installation aufbau montiert; kontakt schreiben telefon mail erreichen; kundigen kundigung;
vertrag mindestlaufzeit laufzeit bindung; schulung kurs training einweisung; gegrundet grundung gestartet;
kunden nutzer anwender; alarm warnung meldung; wartung instandhaltung service pflege; lautstarke laut db leise dezibel larm;
schnell geschwindigkeit; mitarbeiter beschaftigte personen; reinigen reinigung putzen waschen gereinigt;
`,
  pt: `
preco custo tarifa custa custam pagar valor; gratis gratuito teste piloto experimentar; peso pesa pesado kg;
dura duracao autonomia bateria; prazo entrega chega demora envio; garantia cobertura; dados informacoes;
guardados armazenados hospedados ficam; idioma lingua linguas idiomas; instalar montar instalacao montagem;
contato contacto escrever telefone; cancelar cancelamento rescindir; contrato fidelidade; formacao treinamento curso;
fundada fundacao criada; clientes usuarios utilizadores; alerta alarme aviso; manutencao revisao; ruido barulho db silencioso;
rapido velocidade; funcionarios pessoas equipe; limpar limpeza lavar;
`,
  ja: `
価格 料金 値段 費用 コスト 円; 無料 試用 トライアル; 重さ 重量 kg; 電池 バッテリー 充電; 納期 配送 納品; 保証 保証期間; 設置 取付 導入;
`,
  zh: `
价格 费用 价钱 多少钱 成本 收费 元; 免费 试用; 重量 重 公斤 千克; 电池 续航 充电; 交货 交付 发货 到货; 保修 质保; 安装 部署;
`,
  ar: `
سعر ثمن تكلفة رسوم; مجاني تجربة; وزن كجم; بطارية شحن; ضمان كفالة;
`,
}

/** Raised when a ring changes, so that trained weights can name the list they were trained with. */
export const synonymsVersion = 3

function readRings(language: string): Map<string, readonly string[]> {
  const map = new Map<string, Set<string>>()
  const general = language === 'en' ? generalRings : ''
  for (const ring of `${rings[language] ?? ''}${general}`.split(';')) {
    const terms = ring
      .split(/\s+/u)
      .filter((word) => word !== '')
      .flatMap((word) => (word.includes('-') ? [] : [stemOf(fold(word).toLowerCase(), language)]))
    for (const term of terms) {
      const others = map.get(term) ?? new Set<string>()
      for (const other of terms) if (other !== term) others.add(other)
      map.set(term, others)
    }
  }
  return new Map([...map].map(([term, others]) => [term, [...others]]))
}

const byLanguage = new Map<string, Map<string, readonly string[]>>()

/** Other stems that stand for the same idea in the language of `tag`. */
export function synonymsOf(term: string, tag: string): readonly string[] {
  const language = baseLanguage(tag)
  let map = byLanguage.get(language)
  if (!map) {
    map = readRings(language)
    byLanguage.set(language, map)
  }
  return map.get(term) ?? []
}

/** What a general noun may stand for, one way: asked for a religion, a text that names one will do. */
const kinds: Record<string, string> = {
  religion:
    'catholic protestant christian christianity islam muslim jewish judaism buddhist buddhism hindu hinduism orthodox lutheran calvinist confucian taoism atheist',
  language:
    'latin english french german spanish italian portuguese greek arabic chinese japanese russian dutch turkish polish hebrew hindi korean swedish danish norwegian',
  nationality: 'english french german spanish italian portuguese greek chinese japanese russian dutch american british scottish irish',
  continent: 'africa asia europe america australia antarctica',
  direction: 'north south east west northern southern eastern western',
  season: 'spring summer autumn winter fall',
  month: 'january february march april june july august september october november december',
  weekday: 'monday tuesday wednesday thursday friday saturday sunday',
  colour: 'red blue green yellow black white grey orange purple brown silver gold',
  fuel: 'oil gas coal petrol diesel wood hydrogen kerosene',
  metal: 'iron steel copper gold silver aluminium zinc tin lead titanium',
  wood: 'oak pine larch beech ash birch maple walnut spruce',
  animal: 'horse cattle sheep pig dog cat bird fish chicken goat',
  bird: 'petrel gull hawk owl sparrow duck goose swan eagle',
  vehicle: 'car truck bus van train bicycle motorcycle ship plane tram',
  disease: 'cancer plague malaria influenza smallpox cholera measles diabetes',
  weapon: 'gun cannon sword bow rifle missile bomb',
  profession: 'doctor lawyer teacher engineer merchant farmer soldier weaver artisan',
  platform: 'ios android windows linux mac macos web browser',
  currency: 'euro dollar pound yen franc krona peso rupee',
  body: 'committee council board parliament assembly court commission',
  material: 'wood steel aluminium plastic glass concrete cotton wool paper leather oak',
  payment: 'card cash sepa paypal invoice transfer ideal instalment',
}

const kindStems = lazily(
  () => new Map(Object.entries(kinds).map(([name, list]) => [stemOf(name, 'en'), list.split(' ').map((word) => stemOf(word, 'en'))])),
)

export function kindsOf(term: string, tag: string): readonly string[] {
  return baseLanguage(tag) === 'en' ? (kindStems().get(term) ?? []) : []
}
