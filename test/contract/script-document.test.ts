// The script as a document over HTTP: read, written, refused where it has changed, mended, brought back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinTalk } from '../support/attendee.ts'
import { testSeed } from '../support/seed.ts'
import { randomOf, under } from '../support/sim/random.ts'
import { eachStore } from '../support/stores.ts'
import type { Document, Editing, Sentence, Slide } from '../support/written-script.ts'
import { free, onScript, sent } from '../support/written-script.ts'

eachStore((_, open) => {
  const guarantee = (name: string, fn: (editing: Editing) => Promise<void>) => test(name, () => onScript(open, fn))

  guarantee(
    'a document that is sent back as it was read changes nothing: no version, the same tag, the same sentences',
    async ({ app, at, get, put }) => {
      const { tag, document } = await get()
      const again = await put(sent(document), tag)
      assert.equal(again.status, 200)
      assert.deepEqual(again.body.beats, document.beats)
      assert.equal((await get()).tag, tag)
      assert.deepEqual((await app.api('GET', `${at}/versions`)).body, { versions: [] })
      assert.ok(!JSON.stringify(document).includes('CANARY'))
    },
  )

  guarantee(
    'one sentence is written anew: it is said as it is written, cited to its slide, and all others stay what they were',
    async ({ get, put }) => {
      const { tag, document } = await get()
      const slides = sent(document)
      const before = document.slides[2]
      assert.ok(before !== undefined && before.sentences.length >= 3 && slides[2] !== undefined)
      slides[2].sentences.splice(1, 0, { beatId: '', text: 'You will like the silence' })
      const answer = await put(
        slides.map((slide) => ({
          ...slide,
          sentences: slide.sentences.map(({ beatId, text }) => (beatId === '' ? { text } : { beatId, text })),
        })),
        tag,
      )
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const after = (answer.body as Document).slides
      assert.deepEqual(free(after[2] ?? before), free(before).toSpliced(1, 0, 'You will like the silence.'))
      const written = after[2]?.sentences.find(({ text }) => text.startsWith('You will'))
      assert.deepEqual([written?.from, written?.sources.map(({ type, id }) => [type, id])], ['host', [['slide', before.slideId]]])
      // The passage that explains the slide is cited still, and so are the words of each line.
      for (const sentence of before.sentences) {
        const same = after[2]?.sentences.find(({ text }) => text === sentence.text)
        assert.deepEqual(same?.sources, sentence.sources)
      }
      assert.ok(before.sentences.some(({ sources }) => sources[0]?.type === 'knowledge'))
      for (const at of [0, 1, 3]) assert.deepEqual(after[at]?.sentences, document.slides[at]?.sentences)
      assert.equal(after[2]?.written, true)
    },
  )

  guarantee('a script that has changed meanwhile is not written over: 412, and what is there stays', async ({ app, at, get, put }) => {
    const { tag, document } = await get()
    const slides = sent(document)
    const said = (text: string) => slides.map((slide, index) => (index === 2 ? { ...slide, sentences: [{ text }] } : slide))
    assert.equal((await put(said('The first one wrote this.'), tag)).status, 200)
    const late = await put(said('The second one wrote that.'), tag)
    assert.deepEqual([late.status, late.body.code], [412, 'precondition_failed'])
    assert.match(late.body.detail, /Read it again/)
    const now = await get()
    assert.deepEqual(free(now.document.slides[2] as Slide), ['The first one wrote this.'])
    // A change of the background is a change of what is said, and a weak tag, as a cache makes it, is the same tag.
    assert.equal((await put(sent(now.document), `W/${now.tag}`)).status, 200)
    await app.api('PUT', at.replace(/script$/, 'knowledge'), { passages: [] })
    assert.equal((await put(sent(now.document), now.tag)).status, 412)
    assert.equal((await put(said('Without a tag it is written.'))).status, 200)
    assert.equal((await put(said('With a star, too.'), '*')).status, 200)
  })

  guarantee('of two saves of one text at the same moment one is taken', async ({ get, put }) => {
    const { tag, document } = await get()
    const slides = (text: string) => sent(document).map((slide, index) => (index === 3 ? { ...slide, sentences: [{ text }] } : slide))
    const answers = await Promise.all(['A says so.', 'B says so.', 'C says so.'].map((text) => put(slides(text), tag)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.equal(answers.filter(({ status }) => status === 412).length, 2)
  })

  guarantee('nothing is said of a silent slide, which the room shows all the same', async ({ app, slug, get, put }) => {
    const { tag, document } = await get()
    const slides = sent(document).map((slide, index) => (index === 2 ? { ...slide, silent: true } : slide))
    const answer = await put(slides, tag)
    assert.equal(answer.body.slides[2].silent, true)
    assert.deepEqual(answer.body.slides[2].sentences, [])
    assert.ok(answer.body.slides[2].seconds >= 5)
    assert.ok(!answer.body.findings.some(({ slideIndex }: { slideIndex: number }) => slideIndex === 2))
    const maya = await joinTalk(app, slug)
    await maya.act('control', { action: 'start' })
    await maya.until('closing')
    const shown = maya.messages.flatMap(({ event, data }) => (event === 'slide' ? [Number(data.index)] : []))
    assert.deepEqual(shown, [0, 1, 2, 3])
    const heard = maya.messages.flatMap(({ event, data }) =>
      event === 'beat' && data.phase === 'start' && data.slideIndex === 2 ? [data.text] : [],
    )
    assert.deepEqual(heard, [''])
    await maya.close()
    // Left out of the document, its sentences are compiled again.
    const back = await put(sent(answer.body).map((slide, index) => (index === 2 ? { slideId: slide.slideId } : slide)))
    assert.deepEqual(free(back.body.slides[2]), free(document.slides[2] as Slide))
  })

  guarantee(
    'opening, closing and the questions of notes keep their place, are said in other words, and are not lost by leaving them out',
    async ({ get, put }) => {
      const { document } = await get()
      const fixed = document.slides.flatMap(({ sentences }) => sentences.filter((sentence) => sentence.fixed === true))
      assert.ok(fixed.some(({ text }) => text === 'Who has one at home?'))
      const without = document.slides.map(({ slideId }, index) => ({
        slideId,
        sentences: [{ text: `Only this is said of slide ${index + 1}.` }],
      }))
      const answer = await put(without)
      const kept = (answer.body as Document).slides.flatMap(({ sentences }) => sentences.filter((sentence) => sentence.fixed === true))
      assert.equal(kept.filter(({ text }) => text === 'Who has one at home?').length, 1)
      assert.ok(
        kept.some(({ text }) => /automated/i.test(text)),
        JSON.stringify(kept),
      )
      const [first] = kept
      const words = (answer.body as Document).slides.map(({ slideId, sentences }) => ({
        slideId,
        sentences: sentences.map(({ beatId, text }) => ({
          beatId,
          text: beatId === first?.beatId ? 'I am automated, and I am glad that you are here.' : text,
        })),
      }))
      const reworded = await put(words)
      assert.equal(reworded.body.slides[0].sentences[0].text, 'I am automated, and I am glad that you are here.')
      // It stays when its slide is written anew.
      const anew = await put(
        sent(reworded.body).map((slide, index) =>
          index === 0 ? { slideId: slide.slideId, sentences: [{ text: 'Now for the school.' }] } : slide,
        ),
      )
      assert.equal(anew.body.slides[0].sentences[0].text, 'I am automated, and I am glad that you are here.')
    },
  )

  guarantee(
    'slides are shown in the order of the document, and a sentence that goes to another slide still says where it is from',
    async ({ get, put }) => {
      const { document } = await get()
      const [one, two, three, four] = sent(document)
      assert.ok(one && two && three && four)
      const moved = three.sentences.find(({ text }) => text.includes('yard'))
      assert.ok(moved)
      const answer = await put([
        one,
        { ...three, sentences: three.sentences.filter((each) => each !== moved) },
        { ...two, sentences: [...two.sentences, moved] },
        four,
      ])
      assert.deepEqual(
        (answer.body as Document).slides.map(({ slideId }) => slideId),
        [one, three, two, four].map(({ slideId }) => slideId),
      )
      const there = (answer.body as Document).slides[2]?.sentences.find(({ text }) => text === moved.text)
      assert.equal(there?.sources[0]?.id, three.slideId)
    },
  )

  guarantee('what is wrong with a document is named by its place', async ({ get, put }) => {
    const { document } = await get()
    const slides = sent(document)
    const [one, ...others] = slides
    const refused = async (wanted: readonly object[]) => {
      const { status, body } = await put(wanted)
      assert.equal(status, 400, JSON.stringify(body))
      return body.errors[0]
    }
    assert.deepEqual((await refused(others)).pointer, '#/slides')
    assert.deepEqual((await refused([one, one, ...others] as object[])).pointer, '#/slides/1/slideId')
    const strange = '00000000-0000-4000-8000-000000000000'
    assert.deepEqual((await refused([...slides, { slideId: strange }])).pointer, '#/slides/4/slideId')
    const long = [...others, { slideId: one?.slideId, sentences: [{ text: 'x'.repeat(3_000) }, { text: 'y'.repeat(3_000) }] }]
    assert.deepEqual((await refused(long)).pointer, '#/slides/3/sentences')
    const cites = [...others, { slideId: one?.slideId, sentences: [{ text: 'It is so.', sources: [{ type: 'knowledge', id: strange }] }] }]
    assert.deepEqual((await refused(cites)).pointer, '#/slides/3/sentences/0/sources/0/id')
    assert.equal((await refused([...others, { slideId: one?.slideId, sentences: [{ text: ' ' }] }])).pointer, '#/slides/3/sentences/0/text')
  })

  guarantee(
    'a text that is being written is looked at as it will be when it is kept, and nothing is written by it',
    async ({ app, at, get, put }) => {
      const { tag, document } = await get()
      const words = ['Copyright 2026.', 'The pump of the school is quiet.', 'Load balancer.']
      const slides = document.slides.map(({ slideId, sentences }, index) => ({
        slideId,
        sentences: index === 2 ? words : sentences.map(({ text }) => text),
      }))
      const { status, body } = await app.api('POST', `${at}/lint`, { slides })
      assert.equal(status, 200)
      assert.equal((await get()).tag, tag)
      const wanted = sent(document).map((slide, index) => (index === 2 ? { ...slide, sentences: words.map((text) => ({ text })) } : slide))
      const kept = (await put(wanted, tag)).body.findings.map(({ beatId: _beatId, ...finding }: { beatId?: string }) => finding)
      assert.deepEqual(body.findings, kept)
      assert.ok(kept.length >= 2)
    },
  )

  guarantee(
    'what is safe to mend is mended at one call: a repeat goes, a long sentence is parted, and the rest is untouched',
    async ({ app, at, get, put }) => {
      const { document } = await get()
      const half = 'the pump of the school takes warmth from the ground under the yard all winter long'
      const long = `As you can see here, ${half}; nobody in the whole town has heard it run since the day of its first winter here.`
      const wanted = sent(document).map((slide, index) =>
        index === 2
          ? { ...slide, sentences: [{ text: long }] }
          : index === 3
            ? { ...slide, sentences: [{ text: 'The pump of the school is quiet.' }, { text: 'Load balancer.' }] }
            : slide,
      )
      const { body } = await put(wanted)
      assert.deepEqual(
        (body as Document).findings.map(({ code }) => code),
        ['too_long', 'label'],
      )
      const mended = await app.api('POST', `${at}/mend`)
      assert.equal(mended.status, 200)
      assert.deepEqual(mended.body.findings, [])
      assert.equal(free(mended.body.slides[2]).length, 2)
      assert.deepEqual(free(mended.body.slides[3]), ['The pump of the school is quiet.'])
      assert.equal((await app.api('GET', `${at}/versions`)).body.versions[0].reason, 'mended')
      // Nothing is left to mend, and the last sentence of a slide is never taken from it.
      await put(sent(mended.body).map((slide, index) => (index === 3 ? { ...slide, sentences: [{ text: 'Load balancer.' }] } : slide)))
      assert.deepEqual(free((await app.api('POST', `${at}/mend`)).body.slides[3]), ['Load balancer.'])
    },
  )

  guarantee(
    'each save is a version, the first one with what was there before, and any of them is brought back',
    async ({ app, at, get, put }) => {
      const { document } = await get()
      const say = (text: string) => put(sent(document).map((slide, index) => (index === 2 ? { ...slide, sentences: [{ text }] } : slide)))
      await say('The first text.')
      await say('The second text.')
      const list = async () =>
        (await app.api('GET', `${at}/versions`)).body.versions as { version: number; reason: string; changedSlides: number }[]
      assert.deepEqual(
        (await list()).map(({ version, reason, changedSlides }) => [version, reason, changedSlides]),
        [
          [3, 'saved', 1],
          [2, 'saved', 1],
          [1, 'before', 0],
        ],
      )
      const first = await app.api('POST', `${at}/versions/2/restore`)
      assert.deepEqual(free(first.body.slides[2]), ['The first text.'])
      const compiled = await app.api('POST', `${at}/versions/1/restore`)
      assert.deepEqual(compiled.body.beats, document.beats)
      assert.equal((await list())[0]?.reason, 'restored')
      assert.equal((await app.api('POST', `${at}/versions/99/restore`)).status, 404)
    },
  )

  guarantee(
    'whatever is written, moved, silenced, mended and brought back in turn: what is said is what the document says',
    async ({ app, at, get, put }) => {
      const random = randomOf(testSeed)
      const below = (most: number) => under(random, most)
      const { document } = await get()
      let model = document.slides.map((slide) => ({ id: slide.slideId, said: free(slide), isSilent: false }))
      const versions = new Map<number, typeof model>()
      for (let step = 0; step < 40; step++) {
        const act = below(10)
        const known = [...versions.keys()]
        if (act < 8 || known.length === 0) {
          const next = structuredClone(model)
          const slide = next[below(next.length)]
          assert.ok(slide !== undefined)
          const { said } = slide
          if (act < 3) said.splice(below(said.length + 1), 0, `This is sentence number ${step} of the walk.`)
          else if (act < 4) said.splice(below(said.length), 1)
          else if (act < 5) said.reverse()
          else if (act < 6) said.push(...(next[below(next.length)]?.said ?? []).slice(0, 1))
          else if (act < 7) said.length = 0
          else next.reverse()
          const wasSaid = model.find(({ id }) => id === slide.id)?.said.length ?? 0
          for (const each of next) each.isSilent = each.said.length === 0 && (each.isSilent || (each === slide && wasSaid > 0))
          const { tag } = await get()
          const answer = await put(
            next.map(({ id, said: texts, isSilent }) => ({ slideId: id, silent: isSilent, sentences: texts.map((text) => ({ text })) })),
            tag,
          )
          assert.equal(answer.status, 200, JSON.stringify(answer.body))
          // Compiled sentences follow the place of their slide ("Next, ..."); written ones do not.
          const shown = new Map((answer.body as Document).slides.map((each) => [each.slideId, each]))
          const follows = ({ id }: { id: string }) => act >= 7 && shown.get(id)?.written !== true && shown.get(id)?.silent !== true
          model = next.map((each) => (follows(each) ? { ...each, said: free(shown.get(each.id) as Slide) } : each))
        } else if (act < 9) {
          const version = known[below(known.length)] ?? 0
          assert.equal((await app.api('POST', `${at}/versions/${version}/restore`)).status, 200)
          const earlier = new Map((versions.get(version) ?? []).map((slide) => [slide.id, slide]))
          const shown = new Map((await get()).document.slides.map((each) => [each.slideId, each]))
          model = model.map(({ id }) => {
            const slide = structuredClone(earlier.get(id))
            assert.ok(slide !== undefined)
            const there = shown.get(id) as Slide
            return there.written === true || there.silent === true ? slide : { ...slide, said: free(there) }
          })
        } else {
          const { beats } = (await get()).document
          const beat = beats.find(({ kind, text }) => kind === 'narration' && text.includes('number'))
          if (beat === undefined) continue
          const { beatId } = beat as unknown as Sentence
          assert.equal(
            (await app.api('PATCH', `${at}/${encodeURIComponent(beatId)}`, { text: `Reworded in step ${step} by hand.` })).status,
            200,
          )
          const there = model.find(({ said }) => said.includes(beat.text))
          if (there !== undefined) there.said[there.said.indexOf(beat.text)] = `Reworded in step ${step} by hand.`
        }
        const now = (await get()).document.slides
        assert.deepEqual(
          now.map((slide) => ({ id: slide.slideId, said: free(slide), isSilent: slide.silent === true })),
          model,
          `seed ${testSeed}, step ${step}`,
        )
        const [newest] = (await app.api('GET', `${at}/versions`)).body.versions
        if (newest !== undefined && !versions.has(newest.version)) versions.set(newest.version, structuredClone(model))
      }
    },
  )

  guarantee('the script of another account is neither read, written, mended nor brought back', async ({ app, at, get, put }) => {
    const { document } = await get()
    await put(sent(document).map((slide, index) => (index === 2 ? { ...slide, sentences: [{ text: 'Ours.' }] } : slide)))
    const other = await app.newKey()
    for (const [name, method, path, body] of [
      ['put_script', 'PUT', at, { slides: sent(document) }],
      ['lint_script', 'POST', `${at}/lint`, { slides: [] }],
      ['mend_script', 'POST', `${at}/mend`, {}],
      ['list_script_versions', 'GET', `${at}/versions`, undefined],
      ['restore_script', 'POST', `${at}/versions/1/restore`, {}],
    ] as const) {
      assert.equal((await app.api(method, path, body, other)).status, 404, name)
    }
    const reader = await app.newKey({ accountId: app.accountId, scopes: ['sessions:read'] })
    assert.equal((await app.api('POST', `${at}/mend`, {}, reader)).status, 403)
  })
})
