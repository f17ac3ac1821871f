// A talk in one file, and as a course: what is in it and what is not, over the public API; that it answers as the server does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unzipSync } from 'fflate'
import { SaxesParser } from 'saxes'
import { readDecks } from '../../bench/qa/sets.ts'
import { bundleForPage } from '../../scripts/talk-page.ts'
import { quotedAnswer } from '@rostrum/answers/answer'
import { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
import { languageOf } from '@rostrum/languages/languages'
import type { DeckContent } from '@rostrum/contract/content'
import { joinTalk } from '../support/attendee.ts'
import type * as PageAnswers from '../support/page-answers.ts'
import { withService } from '../support/service.ts'
import { eachStore } from '../support/stores.ts'

const secrets = {
  notes: 'Do not mention the zeppelin merger',
  guest: 'grace.guest@example.org',
  lead: 'lena.lead@example.org',
  question: 'Is Ottokar the unlisted owner?',
}

eachStore((_, open) => {
  test('the page holds the talk and its background; no notes, guests, leads, questions or settings of its host, and no way to a network', () =>
    withService(open, async (app) => {
      const { body } = await app.api('POST', '/api/v1/agent/sessions', {
        title: 'Pumps </script><b>&',
        slides: [
          { textContent: 'Pumps\n- A pump weighs 4 kg', agentNotes: secrets.notes },
          { textContent: 'Prices\n- One costs 90 EUR', agentNotes: secrets.notes },
        ],
        knowledgeBase: [{ title: 'Warranty', content: 'The warranty lasts seven years.' }],
        moderation: 'manual',
        ctaText: 'Order one',
        ctaUrl: 'https://example.com/order',
        isLive: true,
      })
      const sessionId = String(body.sessionId)
      const ada = await joinTalk(app, String(body.slug), { name: 'Ada Lovelace' })
      await ada.act('control', { action: 'start' })
      await ada.hear()
      await ada.act('questions', { text: secrets.question })
      await ada.act('lead', { email: secrets.lead, consent: true })
      await ada.close()
      await app.api('PATCH', `/api/v1/agent/sessions/${sessionId}`, { guests: [{ email: secrets.guest }] })
      const path = `/api/v1/agent/sessions/${sessionId}/recordings`
      const made = async (wanted: object) => {
        const { body: asked, status, text: told } = await app.api('POST', path, wanted)
        assert.equal(status, 202, told)
        await app.service.jobs.idle()
        const { body: now } = await app.api('GET', `${path}/${String(asked.recordingId)}`)
        assert.equal(now.state, 'ready', String(now.error))
        const { pathname } = new URL(String(now.url))
        const answer = await app.request(pathname)
        assert.equal(answer.headers.get('content-disposition'), 'attachment')
        assert.match(String(answer.headers.get('content-security-policy')), /sandbox/)
        return (await app.service.decks.deps.blobs.find(pathname.replace('/media/', ''))) ?? new Uint8Array()
      }
      const bytes = await made({ format: 'html' })
      const html = new TextDecoder().decode(bytes)
      assert.ok(bytes.length < 1_500_000, `${bytes.length} bytes`)
      for (const held of ['A pump weighs 4 kg', 'The warranty lasts seven years.', 'Order one', 'https://example.com/order'])
        assert.ok(html.includes(held), held)
      assert.match(html, /<title>Pumps &lt;\/script&gt;&lt;b&gt;&amp;<\/title>/)
      const { account_id: accountId, rehearsal_token: token } = await app.store.read
        .selectFrom('sessions')
        .select(['account_id', 'rehearsal_token'])
        .executeTakeFirstOrThrow()
      const strangers = [
        ...Object.values(secrets),
        'Ada',
        'Lovelace',
        'zeppelin',
        'manual',
        accountId,
        token ?? 'rehearsal_token',
        sessionId,
      ]
      // What the script of the page is made of is the same for all talks.
      const data = html.replace(/<script type="module">.*<\/script>/s, '')
      for (const stranger of strangers) assert.equal(data.includes(stranger), false, stranger)
      assert.match(html, /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/)
      assert.doesNotMatch(html, /connect-src|(?:src|href)="https?:|unsafe/)

      for (const [scorm, schema] of [
        ['1.2', 'http://www.imsproject.org/xsd/imscp_rootv1p1p2'],
        ['2004', 'http://www.imsglobal.org/xsd/imscp_v1p1'],
      ] as const) {
        const files = unzipSync(await made({ format: 'scorm', options: { scorm } }))
        assert.deepEqual(Object.keys(files), ['imsmanifest.xml', 'index.html'])
        assert.deepEqual(files['index.html'], new Uint8Array(bytes))
        const { found, text } = elementsOf(new TextDecoder().decode(files['imsmanifest.xml']))
        const the = (name: string) => found.find((element) => element.name === name)?.attributes ?? {}
        assert.equal(the('manifest')['xmlns'], schema)
        assert.match(String(the('manifest')['identifier']), /^[A-Za-z_][\w.-]*$/)
        assert.equal(the('organizations')['default'], the('organization')['identifier'])
        assert.equal(the('item')['identifierref'], the('resource')['identifier'])
        assert.equal(the('resource')[scorm === '1.2' ? 'adlcp:scormtype' : 'adlcp:scormType'], 'sco')
        assert.equal(the('resource')['href'], the('file')['href'])
        assert.match(text, scorm === '1.2' ? /ADL SCORM1\.2/ : /ADL SCORM2004 4th Edition/)
      }
      const refused = await app.api('POST', path, { format: 'html', runId: ada.runId })
      assert.deepEqual([refused.status, refused.body.errors?.[0]?.pointer], [400, '#/runId'])
    }))
})

function elementsOf(xml: string) {
  const found: { name: string; attributes: Record<string, string> }[] = []
  let text = ''
  const parser = new SaxesParser()
  parser.on('opentag', ({ name, attributes }) => found.push({ name, attributes }))
  parser.on('text', (part) => (text += part.trim()))
  parser.write(xml).close()
  return { found, text }
}

test('the page answers every question of the decks of bench/qa as the server does, but promises no host', async () => {
  const code = await bundleForPage('test/support/page-answers.ts')
  const page = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as typeof PageAnswers
  let asked = 0
  for (const { id, content, questions } of readDecks()) {
    const session = (index: (sessionId: string, of: DeckContent) => ReturnType<typeof buildSessionIndex>) => ({
      sessionId: id,
      title: content.title,
      content,
      index: index(id, content),
    })
    const [here, there] = [session(buildSessionIndex), session(page.buildSessionIndex)]
    const { unknown, toHost, recorded, alone } = languageOf(content.language).answers
    const promised = new Map([
      [unknown, alone.unknown],
      [toHost, alone.toHost],
      [recorded, alone.recorded],
    ])
    for (const { text } of questions) {
      const [ours, its] = [quotedAnswer(text, { session: here }), page.quotedAnswer(text, { session: there, isAlone: true })]
      asked++
      const sentences = ours.sentences.map((sentence) => ({ ...sentence, text: promised.get(sentence.text) ?? sentence.text }))
      assert.deepEqual(its.sentences, sentences, text)
      for (const member of ['outcome', 'confidence', 'citations', 'trace'] as const)
        assert.deepEqual(its.end[member], ours.end[member], `${member} of ${text}`)
    }
  }
  assert.ok(asked > 300, `${asked} questions`)
})
