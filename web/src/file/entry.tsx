// A talk in one file: the room of the service, with the run that it follows in the page itself. It needs no server and no network, and
// its content policy allows none.
import { options, render } from 'preact'
import { paletteCss } from '@rostrum/contract/palette'
import { createKeptRoom, type KeptTalk } from '../../../server/recordings/kept-room.ts'
import { languageOf } from '@rostrum/languages/languages'
import { wear } from '../room/later.tsx'
import { browserPlatform, type Keep } from '../room/platform.ts'
import { Room } from '../room/room.tsx'
import type { Boot } from '../room/stream/boot.ts'
import { createController } from '../room/stream/controller.ts'
import { webClock } from '../ui/clock.ts'
import { fittingLanguage, translator } from '../ui/words.ts'
import { type Course, findCourse } from './course.ts'
import { roomTexts as words } from './room-texts.ts'

// As in the room of the service: a hidden tab draws no frame, and its talk goes on.
options.requestAnimationFrame = queueMicrotask

const textOf = (id: string): string => document.getElementById(id)?.textContent ?? '{}'

/** Pictures and sound stand once in the file, by name, in Base64; the page has them as blobs, so that no copy of their text is made. */
function talkOf(): KeptTalk {
  const urls = new Map(
    Object.entries(JSON.parse(textOf('media')) as Record<string, string>).map(([name, data]) => {
      const [type = '', text = ''] = data.split(',')
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
      return [name, URL.createObjectURL(new Blob([bytes], { type }))]
    }),
  )
  return JSON.parse(textOf('talk'), (_, value: unknown) => (typeof value === 'string' ? (urls.get(value) ?? value) : value)) as KeptTalk
}

/** Where a course was left is what this device has left of the talk. */
function deviceOf(device: Keep, course: Course | null, key: string): Keep {
  const slideIndex = course?.place
  if (slideIndex === undefined) return device
  const left = JSON.stringify({ attendeeToken: '', stream: '', sound: false, slideIndex })
  return { ...device, load: (name) => (name === `rostrum.left.${key}` ? left : device.load(name)) }
}

const talk = talkOf()
const { room } = talk
const languages = Object.keys(words)
const language = [...navigator.languages, room.language].map((tag) => fittingLanguage(tag, languages)).find((tag) => tag !== null) ?? 'en'
const found = words[language] ?? words.en
// Nobody is live here.
const strings = {
  ...found,
  'door.disclosure': found['kept.disclosure'] ?? '',
  'door.disclosure_named': found['kept.disclosure_named'] ?? '',
}
const t = translator(strings, language)
document.documentElement.lang = language
document.documentElement.dir = language === 'ar' ? 'rtl' : 'ltr'

const course = findCourse()
const kept = createKeptRoom(talk, { clock: webClock, uuid: webClock.uuid })
if (course !== null) kept.listen(course.hear(room.slides.length))

const boot: Boot = { key: room.slug, room, language, strings, follows: languageOf(room.language).follows, embed: false, isKept: true }
const platform = browserPlatform()
const controller = createController(boot, {
  ...platform,
  device: deviceOf(platform.device, course, boot.key),
  fetch: (input, init) => kept.fetch(typeof input === 'string' ? input : '', init),
  isOnline: () => true,
})
const { width, height } = room.slides.find(({ imageUrl }) => imageUrl !== null) ?? {}
if (width && height) document.documentElement.style.setProperty('--slide-ratio', (width / height).toFixed(4))
if (room.brand) wear(paletteCss(room.brand))
const root = document.getElementById('app')
if (root !== null) {
  render(
    <>
      {room.unverified && <aside class="unverified">{t('page.unverified')}</aside>}
      <Room boot={boot} controller={controller} />
    </>,
    root,
  )
  controller.resume()
  document.documentElement.dataset.ready = ''
}
