// The conformance kit of the Personal Agent Protocol 0.1-draft: every requirement that `service://docs/pap` marks K, checked
// against any address with nothing but JSON-RPC over HTTP.
import type { Peer, Reply } from './peer.ts'

export interface Finding {
  /** `PAP-6`. */
  id: string
  passed: boolean
  /** Why it was not checked, or what was found instead. */
  words: string
  skipped?: true
}

export interface KitOptions {
  peer: Peer
  /** A published session that may get one test lead; without it only discovered sessions are asked, and no lead is sent. */
  sessionId?: string
  /** A question the session answers. */
  question?: string
}

type Member = Record<string, unknown>
const tools = ['discover_sessions', 'pap_query_presenter', 'submit_attendee_lead']
const nowhere = '0198c1d2-7a53-7c1e-9a40-000000000000'
const testAddress = 'pap-conformance@example.com'

class Unmet extends Error {}
function must(holds: boolean, words: string): void {
  if (!holds) throw new Unmet(words)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const items = (value: unknown): readonly Member[] => (Array.isArray(value) ? (value as Member[]) : [])

/** Checks one requirement after the other; a requirement that cannot be checked here is skipped with words. */
export async function runPapKit({ peer, sessionId: given, question }: KitOptions): Promise<Finding[]> {
  const findings: Finding[] = []
  const check = async (id: string, fn: () => Promise<string | undefined>) => {
    try {
      const skipped = await fn()
      findings.push(skipped === undefined ? { id, passed: true, words: '' } : { id, passed: true, words: skipped, skipped: true })
    } catch (error) {
      findings.push({ id, passed: false, words: error instanceof Error ? error.message : String(error) })
    }
  }
  const ask = async (args: Member) => dataOf(await peer.call('pap_query_presenter', args))

  await check('PAP-1', async () => {
    const { result } = (await peer.send('server/discover', {}, false)).message
    const { capabilities, tools: listed } = result as { capabilities: Member; tools?: Member[] }
    must(
      capabilities['pap'] === true && capabilities['personalAgentProtocol'] === '0.1-draft',
      'The capabilities do not state PAP 0.1-draft.',
    )
    const known = listed ?? items(((await peer.send('tools/list', {}, false)).message.result as Member)['tools'])
    for (const name of tools)
      must(
        known.some((tool) => tool['name'] === name),
        `${name} is not listed.`,
      )
    return undefined
  })
  let found: readonly Member[] = []
  await check('PAP-2', async () => {
    const answer = await peer.call('discover_sessions', {}, false)
    must(answer.status === 200, `discover_sessions answered ${answer.status} without a credential.`)
    found = items(dataOf(answer)['sessions'])
    return undefined
  })
  await check('PAP-3', async () => {
    for (const session of found) {
      must(isText(session['id']) && isText(session['title']) && isText(session['joinUrl']), 'A session lacks id, title or joinUrl.')
      const telling = Object.keys(session).filter((name) => /account|owner|email|user/i.test(name))
      must(telling.length === 0, `A session tells ${telling.join(', ')}.`)
    }
    return found.length === 0 ? 'No session is listed.' : undefined
  })
  await check('PAP-4', async () => {
    for (const name of ['pap_query_presenter', 'submit_attendee_lead']) {
      const { status, headers } = await peer.call(name, { message: 'Hello', sessionId: nowhere, email: testAddress }, false)
      must(status === 401, `${name} answered ${status} without a credential.`)
      must(
        /^Bearer .*resource_metadata="https?:/.test(headers.get('www-authenticate') ?? ''),
        `The challenge of ${name} names no metadata.`,
      )
    }
    return undefined
  })
  const sessionId = given ?? (found[0]?.['id'] as string | undefined)
  const none = sessionId === undefined ? 'There is no session to ask.' : undefined
  const answered: Member =
    none === undefined ? await ask({ sessionId, message: question ?? 'What is this talk about?' }).catch(() => ({})) : {}
  await check('PAP-6', async () => {
    if (none !== undefined) return none
    must(isText(answered['reply']) && answered['reply'].length <= 1_200, 'The reply is empty or longer than 1,200 characters.')
    return undefined
  })
  await check('PAP-8', async () => {
    if (none !== undefined) return none
    if (answered['outcome'] !== 'answered')
      return question === undefined ? `The outcome was ${String(answered['outcome'])}.` : fail(answered)
    must(
      items(answered['citations']).some((citation) => isText(citation['quote'])),
      'The answer cites nothing.',
    )
    return undefined
  })
  await check('PAP-9', async () => {
    if (none !== undefined) return none
    const { outcome } = await ask({ sessionId, message: 'Which football club won the Mongolian cup in 1987?' })
    must(['unknown', 'near', 'handoff', 'declined'].includes(String(outcome)), `A question outside the talk was ${String(outcome)}.`)
    return undefined
  })
  await check('PAP-10', async () => {
    if (none !== undefined) return none
    must(isText(answered['disclosure']), 'There is no disclosure.')
    return undefined
  })
  await check('PAP-11', async () => {
    const refused = resultOf(await peer.call('pap_query_presenter', { sessionId: nowhere, message: 'Hello' }))
    must(refused['isError'] === true, 'An unknown session is not a tool error.')
    return undefined
  })
  await check('PAP-12', async () => {
    must(isText((await ask({ message: 'What can I learn here?' }))['reply']), 'Without a session there is no reply.')
    return undefined
  })
  await check('PAP-14', async () => {
    const replies = [answered, await ask({ message: 'What can I learn here?' })]
    for (const action of replies.flatMap((reply) => items(reply['suggestedActions']))) {
      const isCall = action['type'] === 'tool_call' && isText(action['toolName'])
      must(isCall || (action['type'] === 'open_link' && /^https?:/.test(String(action['url']))), 'An action is neither a call nor a link.')
      if (action['toolName'] === 'submit_attendee_lead') must(items(action['needs']).length > 0, 'A lead is suggested without `needs`.')
    }
    for (const reply of replies) must(items(reply['suggestedActions']).length <= 3, 'There are more than three actions.')
    return undefined
  })
  await check('PAP-18', async () => {
    if (given === undefined) return 'No session was named for the test lead.'
    const send = async () => dataOf(await peer.call('submit_attendee_lead', { sessionId: given, email: testAddress }))
    const [first, again] = [await send(), await send()]
    must(first['success'] === true && isText(first['leadId']), 'The result lacks success or leadId.')
    must(first['leadId'] === again['leadId'], 'A repeat gave another leadId.')
    return undefined
  })
  const refusal = async () => {
    const bad = resultOf(await peer.call('submit_attendee_lead', { sessionId: given ?? nowhere, email: 'REPEAT-ME-NOT' }))
    const words = items(bad['content']).map((block) => String(block['text']))
    return { bad, words: words.join(' ') }
  }
  await check('PAP-21', async () => {
    const { bad, words } = await refusal()
    must(bad['isError'] === true && !words.includes('REPEAT-ME-NOT'), 'A bad address is accepted or repeated.')
    return undefined
  })
  await check('PAP-22', async () => {
    const { words } = await refusal()
    must(words.length > 0 && !/\bat .+:\d+|ZodError|"path"|undefined/.test(words), `The error is not for people: ${words}`)
    return undefined
  })
  return findings
}

function fail(answered: Member): never {
  throw new Unmet(`A question the session answers was ${String(answered['outcome'])}.`)
}

function resultOf({ status, message }: Reply): Member {
  if (message.result === undefined) throw new Unmet(`The server answered ${status}: ${message.error?.message ?? 'nothing'}`)
  return message.result as Member
}

function dataOf(reply: Reply): Member {
  const result = resultOf(reply)
  if (result['isError'] === true) throw new Unmet(`The tool refused: ${JSON.stringify(result['content'])}`)
  return result['structuredContent'] as Member
}
