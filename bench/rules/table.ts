// The named rules of reading, telling and ranking: what each does for who listens, the binding that it stands in, and what this is
// while the rule is off, written for the scope of that file (`whole` is the rule itself).
export type Layer = 'reading' | 'telling' | 'answers' | 'ranking'

export interface Rule {
  /** What it does for a listener. */
  name: string
  layer: Layer
  /** Within `packages`. */
  file: string
  binding: string
  neutral: string
  /** The guarantee that it is owed to, where its points are none; the test that holds it. */
  owed?: string
}

type Line = readonly [name: string, binding: string, neutral: string, owed?: string]

const [no, yes, none, nothing] = ['() => false', '() => true', '() => []', '() => undefined']
const same = '(one) => one'

const of = (layer: Layer, file: string, lines: readonly Line[]): Rule[] =>
  lines.map(([name, binding, neutral, owed]) => ({ name, layer, file, binding, neutral, ...(owed !== undefined && { owed }) }))

const ranking: readonly Rule[] = [
  ...of('ranking', 'answers/ranking/rank.ts', [
    ['trained weights, not BM25 alone', 'rankWeights', "whole.map((_, at) => (rankFeatureNames[at] === 'bm25Share' ? 1 : 0))"],
    ['"And silver?" where the question before was answered', 'parallelBonus', '0'],
    ['a text with the kind of value asked for', 'valueBonus', '0', 'answers/ranking/retrieval.test.ts'],
    ['the place that says what a thing is', 'definitionBonus', '0'],
    ['"What should it not do?" under "Don\'t"', 'negatedBonus', '0'],
    ['the slide that the question names', 'namedBonus', '0', 'answers/honesty.test.ts'],
    ['the slide on screen between equals', 'onScreenBonus', '0'],
  ]),
  ...of('ranking', 'answers/ranking/question.ts', [
    ['other forms of a word', 'inflectionsOf', none],
    ['a slip of the pen', 'slipsOf', none],
    ['"rewritten" for "re-written"', 'hyphenated', none],
    ['the kind of value a question asks for', 'questionTypeOf', nothing],
    ['a "no" in question and text', 'isNegated', no],
    ['a question in another language', 'foreignLanguageOf', nothing],
    ['neighbouring words of the question', 'phrasesOf', '(_tokens, index) => whole([], index)'],
  ]),
  ...of('ranking', 'answers/ranking/tokens.ts', [['synonyms', 'synonymsOf', none]]),
  ...of('ranking', 'answers/ranking/features.ts', [
    ['pairs of terms side by side', 'pairShare', '() => 0'],
    ['likelihood by rarity', 'likelihood', '() => 0'],
    ['the value fits or not', 'typeMatch', '() => 0'],
  ]),
  ...of('ranking', 'answers/ranking/general-questions.ts', [
    ['general questions ("What does it cost?")', 'generalAnswer', none],
    ['addresses where contact is asked for', 'addressed', none],
    ['"What is X?" is asked', 'asksForDefinition', no],
    ['"SLA" by its long form', 'longFormOf', nothing],
  ]),
  ...of('ranking', 'answers/ranking/units.ts', [['cells with the head of their column', 'headerOf', none]]),
  ...of('ranking', 'answers/ranking/values.ts', [
    ['slides named by number or place', 'slidesNamed', '(question) => ({ named: [], rest: question })'],
    ['counts in words', 'seriesNamed', nothing],
  ]),
]

const answers: readonly Rule[] = [
  ...of('answers', 'answers/answer.ts', [
    ['a named slide told whole', 'wholeSlide', none],
    ['"What does SLA stand for?"', 'longFormAsked', nothing],
  ]),
  ...of('answers', 'answers/intents.ts', [
    ['a question that goes on from the last', 'carriedInto', nothing],
    ['a list, a reason, a way is wished', 'wishOf', "() => 'statement'"],
    ['small talk and questions about the talk', 'wantsOf', none],
    ['a private matter is declined', 'asksForPrivateMatter', no, 'answers/private-matter.test.ts'],
    ['what is wished of the host', 'isWish', no, 'answers/wishes.test.ts'],
    ['interest to buy or to meet', 'signalOf', nothing, 'answers/answer.test.ts'],
  ]),
  ...of('answers', 'answers/quote.ts', [
    ['a place told, not its line alone', 'tellCandidate', '(candidate, _wish, session) => [...itself(candidate, session).told]'],
    ['a second place', 'secondMargin', '({ deck: 0, prose: 0 })'],
    ['the second place holds the value too', 'isToThePoint', yes],
    ['the value near by', 'withValue', same],
    ['the cover is no list and no reason', 'notOfCover', same],
    ['a definition told with its title', 'named', same],
    ['code and page numbers are not said', 'sayable', same],
    ['an echo of the question is no answer', 'addsTo', yes],
    ['the same is not said twice', 'saysSame', '(one, other) => one === other'],
    ['a slide of a question alone is answered by the next', 'isDivider', no],
    ['a line of an agenda stands for its slide', 'placed', same],
    ['what the question pins down must stand there', 'lackingIn', none],
    ['what only the picture shows is said to be so', 'asksForSight', no],
    ['a reason is a sentence', 'givesReason', yes],
    ['a count is a figure', 'holdsFigure', yes],
    ['extremes and sums nobody wrote are doubted', 'isUntold', no],
    ['why an answer is doubted', 'doubtOf', nothing, 'answers/honesty.test.ts'],
  ]),
  ...of('answers', 'answers/evidence.ts', [
    ['numbered lines are one list', 'numberedAt', none],
    ['"The usual types:" stands over what follows', 'nested', same],
    ['a few groups told with their heads', 'tellGroups', none],
    ['a label opens the list behind it', 'openingOf', nothing],
    ['what stands below a label', 'tellBelow', none],
    ['a sentence that leans on the one before', 'leansBack', no],
    ['what a block stands under', 'leadOf', "() => ''"],
    ['a line of a few words is a heading', 'isHeadingLike', no],
  ]),
  ...of('answers', 'answers/summary.ts', [
    ['the agenda of the deck itself', 'agendaOf', nothing],
    ['who speaks', 'peopleOf', nothing],
    ['whom the talk is for', 'audienceOf', nothing],
    ['only statements sum up', 'isStatement', yes],
  ]),
]

const telling: readonly Rule[] = [
  ...of('telling', 'telling/compile.ts', [
    ['what the talk comes back to at its end', 'closingStatements', none, 'telling/present-slide.test.ts'],
    ['two statements alike are one', 'isMuchAlike', no],
    ['the deck sums up itself', 'sumsUp', no],
    ['topics named at the start', 'topicsOf', none, 'telling/heard.test.ts'],
    ['more is told in a long talk', 'detailed', '(input) => tell(input, details[0])', 'telling/compile.test.ts'],
  ]),
  ...of('telling', 'telling/explain.ts', [
    ['explanations from the background', 'explanations', '() => new Map()', 'telling/present-slide.test.ts'],
    ['a sentence about the page it stood on is none', 'pointing', '/(?!)/u'],
    ['a line above names its slide', 'namedBy', '() => new Set()'],
  ]),
  ...of('telling', 'telling/telling.ts', [
    ['what stands under several titles is not said', 'repeatedPieces', 'function* () { return new Set() }'],
    ['what was said is not said again', 'mayBeSaid', '({ text }) => !isUnspeakable(text)'],
    ['words in capitals', 'withoutShouting', same],
    ['words broken at a line end', 'withoutBreaks', same],
    ['small letters within a sentence', 'inside', same],
    ['remarks in brackets go with their item', 'listed', same],
    ['semicolons where items have commas', 'isTangled', no],
    ['which words belong to the talk', 'wordsToTell', '({ blocks }) => blocks'],
  ]),
  ...of('telling', 'telling/narration.ts', [
    ['sentences of a length one can follow', 'bounded', '(text) => [text]'],
    ['the agenda goes without a name', 'isAgenda', no],
    ['the title is said', 'titleOf', "() => ''"],
    ['a bridge to the next title', 'leadFor', "() => '{title}'"],
    ['a bridge fits its title', 'fitting', same],
    ['a title that is a sentence stands alone', 'saysSomething', no],
    ['labels alone are not said', 'saysEnough', yes],
    ['no more than one can listen to', 'chosen', same],
    ['lists of works are not read out', 'sourcesTitle', '/(?!)/u'],
    ['prose on a cover is told', 'isProseLine', no],
    ['a picture is pointed at', 'fallback', none],
  ]),
  ...of('telling', 'telling/present-slide.ts', [
    ['a line with a colon announces', 'announces', no],
    ['loose short words', 'presentLoose', none],
    ['a short line leads to what follows', 'leadsTo', no],
    ['a label in brackets', 'labelled', same],
    ['a lead before the first of several', 'withLead', '(units) => [...units]'],
    ['long items each in a sentence', 'isLong', no],
    ['two of many', 'amongMany', none],
    ['short items in one sentence', 'grouped', none],
    ['the order of numbered items', 'isNumbered', no],
  ]),
  ...of('telling', 'telling/present-figure.ts', [
    ['tables', 'presentTable', none],
    ['highest and lowest of a table', 'extremesOf', nothing],
    ['diagrams by their parts', 'presentDiagram', none],
    ['pictures by their description', 'presentPicture', none],
    ['charts', 'presentChart', none],
    ['the way of a chart', 'chartTrend', nothing],
  ]),
  ...of('telling', 'telling/spoken-words.ts', [
    ['addresses are not read out', 'holdsAddress', no],
    ['code is not read out', 'isCode', no],
    ['signs without words are not read out', 'isJunk', no],
    ['letters that are spelled out', 'isSpelledOut', no],
    ['rights and credits are not read out', 'isFurniture', no],
    ['half sentences are not read out', 'isFragment', no],
    ['what points elsewhere is no title', 'isReference', no],
    ['what begins in mid-sentence is not read out', 'beginsInside', no],
    ['a verb makes a sentence', 'hasVerb', yes],
    ['names are told from points', 'isName', no],
    ['words read unsurely from a picture are not said', 'isRead', yes],
    ["words in another script beside the same in one's own", 'isOtherScript', no],
    ['"(1 of 2)" is no part of a title', 'withoutPlace', same],
  ]),
  ...of('telling', 'telling/speak-line.ts', [
    ['lines as they are spoken', 'speakable', same],
    ['numbers and signs as they are spoken', 'readNumbers', same],
    ['"and/or"', 'slashList', same],
    ['dates', 'dates', same],
  ]),
]

const reading: readonly Rule[] = [
  ...of('reading', 'deck/pdf/title.ts', [
    ['the title stands where titles stand', 'titlePlace', nothing],
    ['numbers that count with the pages', 'countsWithPages', no],
    ['a sentence is no title', 'isSentence', no],
    ['large words below sentences are no title', 'isBelowSentences', no],
    ['a caption is no title', 'caption', '/(?!)/u'],
    ['an address is no title', 'address', '/(?!)/u'],
    ['a title of several lines', 'wholeTitleOn', '(_page, first) => (first === undefined ? [] : [first])'],
    ['only a full line goes on', 'isWrapped', yes],
    ['where several lines begin', 'beginOf', same],
    ['rights at the foot', 'saysMine', '/(?!)/u'],
    ['the page number', 'countedOn', nothing],
  ]),
  ...of('reading', 'deck/pdf/read-page.ts', [
    ['tables drawn in boxes', 'boxedTables', none],
    ['labels of a drawing', 'labelsOf', "() => ({ labels: [], shows: 'diagram' })"],
    ['columns', 'regionsOf', '(items) => [byPlace(items)]'],
    ['bands of one make belong together', 'joined', same],
    ['a label of two lines is one', 'wholeLabels', '(lines) => lines.map((line) => [line])'],
    ['links', 'linked', same],
  ]),
  ...of('reading', 'deck/pdf/tables.ts', [
    ['tables by their tags', 'taggedTables', none],
    ['tables by their columns', 'alignedTables', none],
    ['cards side by side are no table', 'areCards', no],
    ['a cell that goes on below', 'isUnder', no],
    ['the head of a table', 'hasHeader', no],
  ]),
  ...of('reading', 'deck/pdf/flow.ts', [
    ['words parted at a line end', 'join', '(text, next) => `${text} ${next}`'],
    ['code', 'withCode', same],
    ['two names are two lines', 'standApart', no],
  ]),
  ...of('reading', 'deck/pdf/lines.ts', [
    ['justified lines are one', 'justified', '(lines) => [...lines]'],
    ['marks apart from their lines', 'withMarks', '(lines) => [...lines]'],
    ['large numbers are marks', 'withNumbers', none],
    ['code keeps its spaces', 'spacedAsCode', 'textOf'],
    ['text from right to left', 'inReadingOrder', same],
    ['turned text', 'turnedLines', none],
  ]),
  ...of('reading', 'deck/pdf/rows.ts', [
    ['raised figures', 'withRaised', '(rows) => rows.map((row) => [...row])'],
    ['writings over each other', 'strandsOf', '(row) => [[...row]]'],
    ['columns that stand close', 'guttersOf', '() => new Set()'],
    ['bullets and numbers before a line', 'takeMark', '() => ({})'],
    ['a hollow bullet', 'isRoundO', no],
    ['drawn bullets', 'markBefore', '() => ({})'],
    ['shadows of letters', 'seenOnce', '(drawn) => [...drawn]'],
    ['ligatures', 'ligaturesSpread', '(drawn) => [...drawn]'],
  ]),
  ...of('reading', 'deck/office/slide-draft.ts', [
    ['shapes in the order they are read', 'inReadingOrder', '(shapes) => [...shapes]'],
    ['a guessed title', 'guessTitle', nothing],
    ['a heading over a shape', 'headedBy', nothing],
    ['loose words are a drawing', 'isLoose', no],
    ['a title in two shapes', 'goesOn', no],
    ['dots that lead to a page number', 'withoutLeader', same],
  ]),
  ...of('reading', 'deck/office/text-blocks.ts', [
    ['a heading within a text', 'isHeading', no],
    ['who said what is quoted', 'speakerOf', nothing],
    ['typed numbers are a list', 'numbered', '(paragraphs) => [...paragraphs]'],
    ['lines broken by hand', 'joined', '(paragraphs) => [...paragraphs]'],
  ]),
  ...of('reading', 'deck/office/graphics.ts', [
    ['diagrams of SmartArt', 'readSmartArt', none],
    ['dates in charts', 'nameOf', '(value) => value'],
  ]),
  ...of('reading', 'deck/office/pages.ts', [['what stands on most slides', 'furnitureOf', '() => () => false']]),
]

export const rules: readonly Rule[] = [...ranking, ...answers, ...telling, ...reading]
