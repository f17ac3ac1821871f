// The settings a host may change at any time; nothing is sent before Save changes.
import { ownZone } from '../parts/format.ts'
import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { Checkbox, chosen, Select, TextArea, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changeSession } from '../data/queries.ts'
import type { SessionChange, SessionDetail } from '../data/wire.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { languageName, languages, languagesWith } from '../data/languages.ts'
import { startPolicies } from './session-acts.ts'

const modes = [
  { value: 'isolated', label: 'One on one: a talk for each person' },
  { value: 'broadcast', label: 'Broadcast: one talk for all' },
] as const
const moderations = [
  { value: 'auto', label: 'Answered at once, after filters' },
  { value: 'manual', label: 'Wait for your approval' },
] as const

const ctaKinds = [
  { value: 'link', label: 'A page' },
  { value: 'checkout', label: 'A payment: people are told that they pay there' },
] as const

/** Rules that a form asks for; what a script or an agent has set beside them stays. */
function ctaRulesFrom(values: Record<string, string>, before: readonly string[]): string[] {
  const others = before.filter((rule) => rule !== 'end' && rule !== 'intent' && !rule.startsWith('seconds:'))
  const minutes = Number(values['ctaMinutes'])
  return [
    ...(values['ctaAtEnd'] === 'on' ? ['end'] : []),
    ...(values['ctaOnIntent'] === 'on' ? ['intent'] : []),
    ...(minutes > 0 ? [`seconds:${Math.round(minutes * 60)}`] : []),
    ...others,
  ]
}

function minutesIn(rules: readonly string[]): number | '' {
  const after = rules.find((rule) => rule.startsWith('seconds:'))
  return after === undefined ? '' : Number(after.slice('seconds:'.length)) / 60
}

const tagsFrom = (text = '') => [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')

/** The value of a `datetime-local` field for a moment, in the browser's own zone. */
function localTime(iso: string | undefined): string {
  if (iso === undefined) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function changeFrom(values: Record<string, string>, session: SessionDetail): SessionChange {
  const optional = (name: string) => (values[name] ? values[name] : null)
  const isBroadcast = values['mode'] === 'broadcast'
  const policy = chosen(startPolicies, values['startPolicy'])
  const moderation = chosen(moderations, values['moderation'])
  return {
    title: values['title'] ?? '',
    description: optional('description'),
    mode: isBroadcast ? 'broadcast' : 'isolated',
    language: optional('language'),
    ctaText: optional('ctaText'),
    ctaUrl: optional('ctaUrl'),
    ctaKind: chosen(ctaKinds, values['ctaKind']) ?? 'link',
    ctaRules: ctaRulesFrom(values, session.ctaRules),
    tags: tagsFrom(values['tags']),
    consentText: optional('consentText'),
    listenerLanguages: languages.flatMap(({ value }) => (values[`follow-${value}`] === 'on' ? [value] : [])),
    discoverable: values['discoverable'] === 'on',
    minutesMax: values['minutesMax'] ? Number(values['minutesMax']) : null,
    ...(isBroadcast && policy !== undefined ? { startPolicy: policy } : {}),
    ...(isBroadcast && moderation !== undefined ? { moderation } : {}),
    ...(isBroadcast && policy === 'scheduled' && values['startsAt']
      ? { startsAt: new Date(values['startsAt']).toISOString(), timeZone: ownZone() }
      : {}),
  }
}

const minutesUsed = ({ minutesMax, minutesUsed: used = 0 }: SessionDetail) =>
  minutesMax === undefined ? '' : ` Used so far: ${used.toLocaleString('en')}.`

export function SessionSettings({ session }: { session: SessionDetail }) {
  const [mode, setMode] = useState(session.mode)
  const [policy, setPolicy] = useState(session.startPolicy)
  const [isChanged, setChanged] = useState(false)
  const { errors, failure, busy, onSubmit } = useForm({
    async submit(values) {
      await changeSession(session.id, changeFrom(values, session)).catch((error: unknown) => refusedForm(error))
      setChanged(false)
      showToast({ text: 'Changes saved.' })
    },
  })
  return (
    <form class="settings" noValidate onSubmit={onSubmit} onInput={() => setChanged(true)}>
      <Group title="The talk">
        <TextField label="Title" name="title" defaultValue={session.title} required maxLength={200} error={errors['title']} />
        <TextArea
          label="Description"
          name="description"
          defaultValue={session.description ?? ''}
          maxLength={4000}
          error={errors['description']}
        />
        <div class="pair">
          <Select
            label="Mode"
            name="mode"
            value={mode}
            options={modes}
            onChange={(event) => setMode(event.currentTarget.value === 'broadcast' ? 'broadcast' : 'isolated')}
          />
          <Select
            label="Language"
            name="language"
            value={session.languageFrom === 'host' ? session.language : ''}
            options={[{ value: '', label: `As in the slides: ${languageName(session.language)}` }, ...languagesWith(session.language)]}
          />
        </div>
        <fieldset class="choices">
          <legend>Languages for listeners</legend>
          <p class="field-hint">
            Captions and answers in them as well, translated ahead by the language model of the server. A sentence whose figures or names do
            not come through stays as it is said; Script has the translations, to be put right.
          </p>
          <div class="choices-list">
            {languages
              .filter(({ value }) => value !== session.language)
              .map(({ value, label }) => (
                <Checkbox key={value} label={label} name={`follow-${value}`} defaultChecked={session.listenerLanguages.includes(value)} />
              ))}
          </div>
        </fieldset>
        {mode === 'broadcast' && (
          <div class="pair">
            <Select
              label="Start"
              name="startPolicy"
              value={policy}
              options={startPolicies}
              onChange={(event) => setPolicy(chosen(startPolicies, event.currentTarget.value) ?? 'host')}
            />
            <Select label="Questions" name="moderation" value={session.moderation} options={moderations} />
            {policy === 'scheduled' && (
              <TextField
                label="Starts at"
                name="startsAt"
                type="datetime-local"
                required
                defaultValue={localTime(session.startsAt)}
                error={errors['startsAt']}
              />
            )}
          </div>
        )}
        <TextField
          label="Tags"
          name="tags"
          defaultValue={session.tags.join(', ')}
          hint="Up to ten, between commas."
          error={errors['tags']}
        />
      </Group>
      <Group title="The offer" about="The button that people see beside the talk, and when.">
        <div class="pair">
          <TextField
            label="Words on the button"
            name="ctaText"
            defaultValue={session.ctaText ?? ''}
            maxLength={80}
            error={errors['ctaText']}
          />
          <TextField label="Where it leads" name="ctaUrl" type="url" defaultValue={session.ctaUrl ?? ''} error={errors['ctaUrl']} />
          <Select label="What is there" name="ctaKind" value={session.ctaKind} options={ctaKinds} error={errors['ctaKind']} />
          <TextField
            label="Show the offer after minutes"
            name="ctaMinutes"
            type="number"
            inputMode="decimal"
            min={0}
            max={1_600}
            step="any"
            defaultValue={minutesIn(session.ctaRules)}
            hint="Empty: not by the clock."
            error={errors['ctaRules']}
          />
        </div>
        <Checkbox label="Show the offer at the end" name="ctaAtEnd" defaultChecked={session.ctaRules.includes('end')} />
        <Checkbox
          label="Show the offer when somebody shows interest"
          name="ctaOnIntent"
          defaultChecked={session.ctaRules.includes('intent')}
        />
      </Group>
      <Group title="Their details" about="What people leave at the offer and at the end.">
        <TextArea
          label="Consent text"
          name="consentText"
          defaultValue={session.consentText ?? ''}
          hint="What people agree to when they leave their details. Each lead keeps the text it agreed to."
          error={errors['consentText']}
        />
      </Group>
      <Group title="Who and how much">
        <TextField
          label="Minutes of talk, at most"
          name="minutesMax"
          type="number"
          inputMode="numeric"
          min={1}
          max={100_000}
          step={1}
          defaultValue={session.minutesMax ?? ''}
          hint={`All its talks together; empty for no limit, or half the minutes of a month where the service has a plan. After that nobody can begin one, and whoever is in one hears its closing.${minutesUsed(session)}`}
          error={errors['minutesMax']}
        />
        <Checkbox label="List it publicly while it is published" name="discoverable" defaultChecked={session.discoverable} />
        <FormFoot isInPage failure={failure} busy={busy} act="Save changes" isChanged={isChanged} />
      </Group>
    </form>
  )
}

/** What belongs together, with its name beside it where there is room. */
export function Group({ title, about, children }: { title: string; about?: string; children: ComponentChildren }) {
  const id = useId()
  return (
    <section class="settings-group" aria-labelledby={id}>
      <div>
        <h2 id={id}>{title}</h2>
        {about !== undefined && <p class="small muted">{about}</p>}
      </div>
      <div class="form">{children}</div>
    </section>
  )
}
