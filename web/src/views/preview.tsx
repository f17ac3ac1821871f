// `sessions/preview`: one session with its slides and links.
import type { Bridge } from './bridge.ts'
import type { Session } from './parts.tsx'
import { Button, Frame, Problem } from './parts.tsx'
import { SessionCard } from './session-card.tsx'
import { useTool } from './use-tool.ts'

export function Preview({ bridge }: { bridge: Bridge }) {
  const { data, status, problem, canCall, isBusy, call, host } = useTool<Session>(bridge, 'get_session')
  const sessionId = data?.id ?? host.input?.['sessionId']
  const refresh = canCall && sessionId !== undefined ? () => void call({ sessionId }) : undefined
  if (data === undefined) {
    return (
      <Frame state={status === 'error' ? 'error' : 'loading'} title="Session">
        <Problem words={problem ?? ''} again={refresh} />
      </Frame>
    )
  }
  const actions = refresh !== undefined && (
    <Button onPress={refresh} isBusy={isBusy}>
      Refresh
    </Button>
  )
  return (
    <Frame state="ready" title={data.title} actions={actions}>
      <SessionCard bridge={bridge} session={data} />
    </Frame>
  )
}
