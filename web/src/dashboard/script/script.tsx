// The script as a document: filmstrip, slide and the whole text of the talk, written, mended, heard and brought back in one place.
import { useLocation } from 'preact-iso/router'
import { buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { deckQuery, scriptQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionDetail } from '../data/wire.ts'
import { Loaded } from '../parts/loaded.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import { ScriptEditor } from './script-editor.tsx'

export function Script({ id }: { id: string }) {
  return (
    <SessionFrame id={id} tab="Script">
      {(session) => <ScriptScreen session={session} />}
    </SessionFrame>
  )
}

function ScriptScreen({ session }: { session: SessionDetail }) {
  const { query } = useLocation()
  const deck = useQuery(deckQuery(session.id))
  const script = useQuery(scriptQuery(session.id))
  const wanted = Number(query['slide'] ?? 1) - 1
  return (
    <Loaded query={deck} rows={8}>
      {({ slides }) => (
        <Loaded query={script} rows={8}>
          {(answer) =>
            answer.slides.length === 0 ? (
              <Empty
                title="Nothing to say yet"
                text="The script is written from your slides. Add them, and it is here to read, change and hear."
                example={['1. The evening peak', 'A battery shifts it by four hours.', '22 sec']}
              >
                <a class={buttonClass('primary')} href={`/dashboard/sessions/${session.id}/slides`}>
                  Add slides
                </a>
              </Empty>
            ) : (
              <ScriptEditor key={session.id} session={session} slides={slides} answer={answer} wanted={wanted} />
            )
          }
        </Loaded>
      )}
    </Loaded>
  )
}
