// The scripted talk of the fake room: seven text slides, three sentences each, one answer, one offer.
import { newColumns, roomSettings, talkSettings } from '@rostrum/contract/session'
import type { RoomView } from '../src/room/stream/wire.ts'

const texts: readonly { title: string; text: string; says: readonly string[] }[] = [
  {
    title: 'Grid storage in twelve minutes',
    text: 'Grid storage in twelve minutes\nWhat batteries change, what they cost, and where they fail',
    says: [
      'Welcome to grid storage in twelve minutes.',
      'I am an automated presenter, and you can ask me anything while I speak.',
      'We will look at what batteries change, what they cost, and where they fail.',
    ],
  },
  {
    title: 'The evening peak is the problem',
    text: 'The evening peak is the problem\n- Solar output falls at six in the evening\n- Demand rises until nine\n- Gas peakers run for three hours, at the highest price of the day',
    says: [
      'The evening peak is the problem.',
      'Solar output falls at six, while demand keeps rising until nine, so gas peakers run for three hours at the highest price of the day.',
      'That gap is what storage is for.',
    ],
  },
  {
    title: 'A battery moves four hours of sun',
    text: 'A battery moves four hours of sun',
    says: [
      'A battery shifts the evening peak by four hours, so the peaker plant never starts.',
      'Nothing is generated and nothing is saved; it is only moved.',
    ],
  },
  {
    title: 'What it costs',
    text: 'What it costs\n- Cells: 62 € per kWh\n- Containers and cooling: 41 € per kWh\n- Grid connection: 38 € per kWh\n- Software and permits: 9 € per kWh\n- Total installed: 150 € per kWh, down from 410 in 2018\n- Life: 7,300 cycles, about twenty years of one cycle a day',
    says: [
      'An installed battery costs 150 euros per kilowatt hour.',
      'The cells are less than half of that.',
      'In 2018 the same battery cost 410 euros.',
    ],
  },
  {
    title: 'Where it fails',
    text: 'Where it fails\nBelow minus ten degrees a battery loses a fifth of its power, and ice on the inlets stops the cooling. A heated enclosure costs two percent of the energy and removes the problem.\nLong calm weeks in winter need something else: hydrogen, hydro or demand that waits.',
    says: [
      'It fails in two places: deep cold, and long calm weeks in winter.',
      'Cold is solved with a heated enclosure.',
      'Calm weeks are not.',
    ],
  },
  {
    title: 'Three things to remember',
    text: 'Three things to remember\n- Storage moves energy, it does not make it\n- Four hours covers the peak\n- The price fell by two thirds in eight years',
    says: [
      'Three things to remember.',
      'Storage moves energy, four hours cover the peak, and the price fell by two thirds in eight years.',
      'Thank you for listening.',
    ],
  },
]

export const consentText = 'I agree that Northwind Storage keeps these details and contacts me about storage. I can withdraw at any time.'

export interface FakeBeat {
  beatId: string
  slideIndex: number
  text: string
}

export const slides: RoomView['slides'] = texts.map((slide, index) => ({
  id: `s${index + 1}`,
  index,
  title: slide.title,
  text: slide.text,
  imageUrl: null,
  width: null,
  height: null,
}))

export const beats: readonly FakeBeat[] = texts.flatMap((slide, slideIndex) =>
  slide.says.map((text, index) => ({ beatId: `b${slideIndex + 1}-${index + 1}`, slideIndex, text })),
)

const description = 'What batteries change, what they cost, and where they fail. For planners of municipal utilities.'

export function roomView(mode: 'isolated' | 'broadcast', slug: string): RoomView {
  return {
    ...roomSettings(talkSettings(newColumns({ title: 'Grid storage in twelve minutes', description, mode }))),
    slug,
    state: 'open',
    kind: slug.includes('-') || slug === 'welcome' ? 'live' : 'rehearsal',
    disclosure: 'An automated presenter gives this talk. Your questions are answered live.',
    slides,
    slideSeconds: slides.map(() => 30),
    deckVersion: 1,
    cta: { text: 'Book a 20 min call', url: 'https://northwind.example/call', kind: 'link' },
    consentText,
    consentVersion: '1',
    voices: { tts: false, stt: false },
    limits: { question: 4_000, name: 200 },
  }
}
