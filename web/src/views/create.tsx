// `sessions/create`: shows the session that the model has just made. A form comes only where there is none, so that nothing is
// created twice: after a refusal, after a cancelled call, or where the view was opened by hand.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Bridge } from './bridge.ts'
import type { Session } from './parts.tsx'
import { Button, Frame, Problem } from './parts.tsx'
import { SessionCard } from './session-card.tsx'
import { failed, useHost, wordsOf } from './use-tool.ts'

/** A host that shows the view for a call names its arguments long before. */
const noCallMs = 1_500

export function Create({ bridge }: { bridge: Bridge }) {
  const host = useHost(bridge)
  const [isOpenedByHand, setOpenedByHand] = useState(false)
  const [isAnother, setAnother] = useState(false)
  const [made, setMade] = useState<Session>()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const isCalling = useRef(false)
  const hasCall = host.input !== undefined || host.result !== undefined || host.context.toolInfo !== undefined

  useEffect(() => {
    if (!host.isConnected || hasCall) return
    const timer = setTimeout(() => setOpenedByHand(true), noCallMs)
    return () => clearTimeout(timer)
  }, [host.isConnected, hasCall])

  const given = host.result?.isError === true ? undefined : (host.result?.structuredContent as Session | undefined)
  const session = made ?? given
  const canCall = host.capabilities.serverTools !== undefined
  const refusal = host.result?.isError === true ? wordsOf(host.result) : undefined
  const create = async (args: Record<string, unknown>) => {
    // A second press may come before the button is drawn as disabled.
    if (isCalling.current) return
    isCalling.current = true
    setBusy(true)
    const result = await bridge.callTool('create_session', args).catch(failed)
    isCalling.current = false
    setBusy(false)
    if (result.isError === true) return setProblem(wordsOf(result))
    const session = result.structuredContent as unknown as Session
    setProblem(undefined)
    setMade(session)
    setAnother(false)
    bridge.tellModel(`The person created the session "${session.title}" in the view.`, { id: session.id, status: session.status })
  }

  if (session !== undefined && !isAnother) {
    const another = canCall && <Button onPress={() => setAnother(true)}>Create another</Button>
    return (
      <Frame state="ready" title={session.title}>
        <SessionCard bridge={bridge} session={session} />
        {another && <div class="row">{another}</div>}
      </Frame>
    )
  }
  const isFormDue = isAnother || host.isCancelled || refusal !== undefined || (isOpenedByHand && !hasCall)
  if (!isFormDue) return <Frame state="loading" title="New session" />
  const words = problem ?? (isAnother ? undefined : refusal)
  return (
    <Frame state={words === undefined ? 'ready' : 'error'} title="New session">
      {words !== undefined && <Problem words={words} />}
      {canCall ? (
        <Form isBusy={isBusy} start={isAnother ? {} : (host.input ?? {})} create={(args) => void create(args)} />
      ) : (
        <p class="note">Ask in the conversation to create a session: this place cannot do it.</p>
      )}
    </Frame>
  )
}

interface FormProps {
  start: Record<string, unknown>
  isBusy: boolean
  create: (args: Record<string, unknown>) => void
}

/**
 * Fields beyond the form's own (slides, knowledge) that the model had filled in are sent along. Hosts may forbid forms to be
 * submitted, so the button is a plain one and reads the fields itself.
 */
function Form({ start, isBusy, create }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const text = (name: string) => (typeof start[name] === 'string' ? start[name] : '')
  const send = () => {
    if (form.current === null || isBusy || !form.current.reportValidity()) return
    const fields = new FormData(form.current)
    const typed = Object.fromEntries([...fields].filter(([name, value]) => name !== 'isLive' && value !== ''))
    const { title: _t, description: _d, ctaText: _c, ctaUrl: _u, isLive: _l, ...rest } = start
    create({ ...rest, ...typed, isLive: fields.has('isLive') })
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    send()
  }
  return (
    <form ref={form} onKeyDown={onKey}>
      <label>
        Title
        <input name="title" required maxLength={200} value={text('title')} />
      </label>
      <label>
        Description
        <textarea name="description" maxLength={4000} rows={3} value={text('description')} />
      </label>
      <div class="pair">
        <label>
          Call to action
          <input name="ctaText" maxLength={80} value={text('ctaText')} />
        </label>
        <label>
          Link
          <input name="ctaUrl" type="url" maxLength={2048} value={text('ctaUrl')} />
        </label>
      </div>
      <label class="check">
        <input type="checkbox" name="isLive" checked={start['isLive'] === true} />
        Publish now
      </label>
      <div class="row">
        <Button isMain isBusy={isBusy} onPress={send}>
          Create session
        </Button>
      </div>
    </form>
  )
}
