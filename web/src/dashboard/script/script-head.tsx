// Above the text: how long the talk is and is to be, and what a lint finds in it.
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { refreshScript } from '../deck/deck-acts.ts'
import { duration, plural } from '../parts/format.ts'
import { changeSession } from '../data/queries.ts'
import { useBusy } from '../data/undoable.ts'
import type { ScriptFinding, SessionDetail } from '../data/wire.ts'
import { OpenButton, type OpenButtonProps } from '../parts/open-button.tsx'
import { linesOf, mended } from './script-text.ts'
import { TranslationsDialog } from './translations-dialog.tsx'
import type { Editing } from './use-script.ts'

export interface ScriptHeadProps {
  session: SessionDetail
  editing: Editing
  findings: readonly (ScriptFinding & { at: number; line?: number })[]
  /** Of each slide. */
  seconds: readonly number[]
  versions: OpenButtonProps['opens']
}

const lengths = [180, 300, 600]

export function ScriptHead({ session, editing, findings, seconds, versions }: ScriptHeadProps) {
  const { script } = editing
  const sentences = script.reduce((sum, { text, before, after }) => sum + linesOf(text).length + before.length + after.length, 0)
  const total = seconds.reduce((sum, each) => sum + each, 0)
  return (
    <div class="script-head">
      <div class="script-head-row">
        <p class="small muted">
          {plural(script.length, 'slide')}, {plural(sentences, 'sentence')}, about {duration(total)} when spoken
        </p>
        <span class="actions">
          {session.listenerLanguages.some((each) => each !== session.language) && (
            <OpenButton kind="quiet" dense opens={(onClose) => <TranslationsDialog session={session} onClose={onClose} />}>
              Translations
            </OpenButton>
          )}
          <OpenButton kind="quiet" dense opens={versions}>
            Versions
          </OpenButton>
        </span>
      </div>
      <div class="script-head-row">
        <Length session={session} total={total} />
        <Quality editing={editing} findings={findings} />
      </div>
    </div>
  )
}

function Length({ session, total }: { session: SessionDetail; total: number }) {
  const [isBusy, run] = useBusy()
  const { id, targetSeconds } = session
  const options = [...new Set([...lengths, ...(targetSeconds === undefined ? [] : [targetSeconds])])].toSorted((a, b) => a - b)
  const wish = (value: string) => {
    const change = { targetSeconds: value === '' ? null : Number(value) }
    void run(changeSession(id, change).then(() => refreshScript(id)))
  }
  return (
    <div class="script-length">
      <Select
        label="Length"
        name="length"
        value={targetSeconds === undefined ? '' : String(targetSeconds)}
        options={[{ value: '', label: 'As long as it takes' }, ...options.map((each) => ({ value: String(each), label: duration(each) }))]}
        onChange={(event) => wish(event.currentTarget.value)}
      />
      <p class="small muted" role="status">
        {isBusy ? 'Compiling' : lengthWords(targetSeconds, total)}
      </p>
    </div>
  )
}

const tolerance = 0.1

function lengthWords(wished: number | undefined, total: number): string {
  if (wished === undefined) return 'Compiled slides say what matters; a shorter talk says less of them, a longer one explains more.'
  const off = total - wished
  if (Math.abs(off) <= wished * tolerance) return `About ${duration(total)} of ${duration(wished)}.`
  return off > 0
    ? `${duration(off)} over. Each slide keeps a sentence, and your own words are never cut: shorten them, or say nothing on a slide.`
    : `${duration(-off)} short. The slides and the background hold no more: write more, or add background.`
}

function Quality({ editing, findings }: Pick<ScriptHeadProps, 'editing' | 'findings'>) {
  const after = mended(editing.script, findings)
  const easy = after === editing.script ? 0 : findings.filter(({ fix, line }) => fix !== undefined && line !== undefined).length
  return (
    <div class="script-quality">
      <p role="status">{findings.length === 0 ? 'Nothing to look at.' : `${plural(findings.length, 'thing')} to look at.`}</p>
      {easy > 0 && (
        <Button dense onClick={() => editing.edit(after)}>
          {easy === 1 ? 'Fix the easy one' : `Fix the ${easy} easy ones`}
        </Button>
      )}
    </div>
  )
}
