// `sessions/list`: the account's sessions, one button each, shown in place.
import { useEffect, useState } from 'preact/hooks'
import type { Bridge } from './bridge.ts'
import type { Session } from './parts.tsx'
import { Button, Frame, Problem, Status, day } from './parts.tsx'
import { SessionCard } from './session-card.tsx'
import { failed, useTool, wordsOf } from './use-tool.ts'

interface Listed {
  sessions: readonly Session[]
  nextCursor?: string
}

const join = (before: Listed, now: Listed): Listed => ({ ...now, sessions: [...before.sessions, ...now.sessions] })

export function List({ bridge }: { bridge: Bridge }) {
  const tool = useTool<Listed>(bridge, 'list_sessions')
  const [open, setOpen] = useState<Session>()
  const [problem, setProblem] = useState<string>()
  const { data, canCall, isBusy, host } = tool
  const start = host.input ?? {}
  const { cursor: _, ...first } = start
  const refresh = () => void tool.call(first)
  useEffect(() => setOpen(undefined), [host.result])

  const show = async (session: Session) => {
    if (!canCall) return
    const result = await bridge.callTool('get_session', { sessionId: session.id }).catch(failed)
    if (result.isError === true) return setProblem(wordsOf(result))
    setProblem(undefined)
    setOpen(result.structuredContent as unknown as Session)
    bridge.tellModel(`The person opened the session "${session.title}" in the view.`, { id: session.id })
  }

  if (open !== undefined) {
    return (
      <Frame state="ready" title={open.title} actions={<Button onPress={() => setOpen(undefined)}>Back</Button>}>
        <SessionCard bridge={bridge} session={open} />
      </Frame>
    )
  }
  const actions = canCall && (
    <Button onPress={refresh} isBusy={isBusy}>
      Refresh
    </Button>
  )
  if (data === undefined) {
    return (
      <Frame state={tool.status === 'error' ? 'error' : 'loading'} title="Sessions">
        <Problem words={tool.problem ?? ''} again={canCall ? refresh : undefined} />
      </Frame>
    )
  }
  const { sessions, nextCursor } = data
  return (
    <Frame state={sessions.length === 0 ? 'empty' : 'ready'} title="Sessions" actions={actions}>
      {problem !== undefined && <Problem words={problem} />}
      {sessions.length === 0 && <p class="note">No sessions yet. Ask to create one from slides, a PDF or a few words.</p>}
      <ul class="list">
        {sessions.map((session) => (
          <li key={session.id}>
            {canCall ? (
              <button type="button" class="plain" onClick={() => void show(session)}>
                {session.title}
              </button>
            ) : (
              <strong>{session.title}</strong>
            )}
            <span class="facts">
              <Status status={session.status} /> <span>{day(bridge, session.created_at)}</span>
            </span>
          </li>
        ))}
      </ul>
      {nextCursor !== undefined && canCall && (
        <div class="row">
          <Button isBusy={isBusy} onPress={() => void tool.call({ ...first, cursor: nextCursor }, join)}>
            More
          </Button>
        </div>
      )}
    </Frame>
  )
}
