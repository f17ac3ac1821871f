// How what people see of a host looks: name, logo, two colours, beside how both kinds of page come out and what is corrected so that it
// can be read. Of the account, and of one talk, which goes before it member by member.
import { useState } from 'preact/hooks'
import type { Brand } from '@rostrum/contract/brand'
import { paletteOf, plateOf, type Tokens } from '@rostrum/contract/palette'
import { BrandMark } from '../../ui/brand-mark.tsx'
import { Button } from '../../ui/button.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call, upload } from '../data/api.ts'
import { changeSession } from '../data/queries.ts'
import { useBusy } from '../data/undoable.ts'
import { cache, type Query, useQuery } from '../data/use-query.ts'
import type { AccountBrand, SessionDetail } from '../data/wire.ts'
import { FileButton } from '../parts/file-field.tsx'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { Loaded } from '../parts/loaded.tsx'

const brandQuery: Query<AccountBrand> = { queryKey: ['brand'], queryFn: ({ signal }) => call('get_brand', {}, { signal }) }

export function BrandOfAccount() {
  const found = useQuery(brandQuery)
  const save = async (brand: Brand) => {
    cache.setQueryData(brandQuery.queryKey, await call('put_brand', brand))
  }
  return (
    <section class="section" aria-labelledby="brand">
      <h2 id="brand">Brand</h2>
      <p class="muted">Rooms, what attendees keep, mails and films of all your talks. A talk may have its own, in its settings.</p>
      <Loaded query={found}>{({ notes: _, ...brand }) => <BrandForm brand={brand} beneath={{}} save={save} />}</Loaded>
    </section>
  )
}

export function BrandOfSession({ session }: { session: SessionDetail }) {
  const ofAccount = useQuery(brandQuery)
  const save = (brand: Brand) => changeSession(session.id, { brand: Object.keys(brand).length === 0 ? null : brand })
  return (
    <Loaded query={ofAccount}>
      {({ notes: _, ...beneath }) => <BrandForm brand={session.brand ?? {}} beneath={beneath} save={save} isOfTalk />}
    </Loaded>
  )
}

interface BrandFormProps {
  brand: Brand
  /** What holds where nothing is set here. */
  beneath: Brand
  isOfTalk?: boolean
  save: (brand: Brand) => Promise<void>
}

const texts = ['name', 'logoUrl', 'accent', 'paper'] as const
type Draft = Record<(typeof texts)[number] | 'footer', string>

const draftOf = (brand: Brand): Draft => ({
  name: brand.name ?? '',
  logoUrl: brand.logoUrl ?? '',
  accent: brand.accent ?? '',
  paper: brand.paper ?? '',
  footer: brand.hideFooter === undefined ? '' : brand.hideFooter ? 'hidden' : 'shown',
})

const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** Of a draft what can be shown, or sent. */
function brandIn(draft: Draft, logo: Brand['logo']): Brand {
  const set: Brand = { ...(draft.footer !== '' && { hideFooter: draft.footer === 'hidden' }), ...(logo && { logo }) }
  for (const name of texts) if (draft[name].trim() !== '') set[name] = draft[name].trim()
  return set
}

function BrandForm({ brand, beneath, isOfTalk, save }: BrandFormProps) {
  const [draft, setDraft] = useState(draftOf(brand))
  const [sent, setSent] = useState<Pick<Brand, 'logoUrl' | 'logo'>>({})
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const logo = [sent, brand].find(({ logoUrl }) => logoUrl !== undefined && logoUrl === draft.logoUrl)?.logo
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(brand))
  const { errors, failure, busy, onSubmit } = useForm({
    async submit() {
      await save(brandIn(draft, undefined)).catch((error: unknown) => refusedForm(error, isOfTalk ? { brand: 'logoUrl' } : {}))
      showToast({ text: 'Brand saved.' })
    },
  })
  const typed = (name: keyof Draft) => (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value })
  const shown = brandIn(
    { ...draft, accent: isColour(draft.accent) ? draft.accent : '', paper: isColour(draft.paper) ? draft.paper : '' },
    logo,
  )
  return (
    <div class="brand-settings">
      <form class="form" noValidate onSubmit={onSubmit}>
        <TextField
          label="Name of the host"
          name="name"
          value={draft.name}
          placeholder={beneath.name}
          maxLength={80}
          onInput={typed('name')}
          hint="You or your organisation, as people in the room read it."
          error={errors['name']}
        />
        {logo === undefined && (
          <TextField
            label="Address of the logo"
            name="logoUrl"
            type="url"
            value={draft.logoUrl}
            onInput={typed('logoUrl')}
            hint="PNG, JPEG, WebP or SVG; it is fetched once. Or choose a file."
            error={errors['logoUrl']}
          />
        )}
        <LogoFile
          hasLogo={logo !== undefined}
          onRemove={() => set({ logoUrl: '' })}
          onSent={(found) => (setSent(found), set({ logoUrl: found.logoUrl ?? '' }))}
        />
        <ColourField
          label="Accent"
          name="accent"
          value={draft.accent}
          beneath={beneath.accent}
          hint="Buttons, links and progress."
          onValue={(accent) => set({ accent })}
          error={errors['accent']}
        />
        <ColourField
          label="Background"
          name="paper"
          value={draft.paper}
          beneath={beneath.paper}
          hint="The page around the slides."
          onValue={(paper) => set({ paper })}
          error={errors['paper']}
        />
        <Select
          label="Line that names this service"
          name="footer"
          value={draft.footer}
          options={[
            { value: '', label: isOfTalk ? 'As the account' : 'Shown' },
            ...(isOfTalk ? [{ value: 'shown', label: 'Shown' }] : []),
            { value: 'hidden', label: 'Left out' },
          ]}
          onChange={typed('footer')}
        />
        <FormFoot isInPage failure={failure} busy={busy} act="Save brand" isChanged={isChanged} />
      </form>
      <Preview brand={{ ...beneath, ...shown }} />
    </div>
  )
}

interface ColourFieldProps {
  label: string
  name: string
  value: string
  beneath: string | undefined
  hint: string
  error: string | undefined
  onValue: (colour: string) => void
}

/** By its number, or picked. */
function ColourField({ label, name, value, beneath, hint, error, onValue }: ColourFieldProps) {
  const words = value === '' || isColour(value) ? error : 'Write it as #rrggbb, such as #0f6b4f.'
  return (
    <div class="colour-field">
      <TextField
        label={label}
        name={name}
        value={value}
        placeholder={beneath ?? '#rrggbb'}
        maxLength={7}
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
        hint={hint}
        error={words}
      />
      <input
        type="color"
        aria-label={`Pick: ${label.toLowerCase()}`}
        value={isColour(value) ? value : (beneath ?? '#ffffff')}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  )
}

interface LogoFileProps {
  hasLogo: boolean
  onSent: (logo: Pick<Brand, 'logoUrl' | 'logo'>) => void
  onRemove: () => void
}

function LogoFile({ hasLogo, onSent, onRemove }: LogoFileProps) {
  const [busy, run] = useBusy()
  return (
    <div class="actions">
      <FileButton
        label="Logo"
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        bytesMax={2 * 1024 * 1024}
        busy={busy}
        onFile={(file) => void run(upload('create_logo', {}, [file]).then(onSent))}
      >
        {hasLogo ? 'Replace the logo' : 'Choose a file'}
      </FileButton>
      {hasLogo && (
        <Button kind="quiet" onClick={onRemove}>
          Remove the logo
        </Button>
      )}
    </div>
  )
}

/** A room in small, on a light and on a dark page, and in words what is shown otherwise than chosen. */
function Preview({ brand }: { brand: Brand }) {
  const { light, dark, notes } = paletteOf(brand)
  return (
    <div class="brand-preview" data-testid="brand-preview">
      <div class="brand-pages" aria-hidden="true">
        <PreviewPage brand={brand} theme="light" tokens={light} />
        <PreviewPage brand={brand} theme="dark" tokens={dark} />
      </div>
      <div role="status">
        <ul class="brand-notes small">
          {notes.length === 0 ? (
            <li>Text can be read everywhere, in these colours as they are.</li>
          ) : (
            notes.map((note) => <li key={note}>{note}</li>)
          )}
        </ul>
      </div>
    </div>
  )
}

function PreviewPage({ brand, theme, tokens }: { brand: Brand; theme: 'light' | 'dark'; tokens: Tokens }) {
  const variables = Object.fromEntries(Object.entries(tokens).map(([name, colour]) => [`--${name}`, colour]))
  const plate = brand.logo === undefined ? null : plateOf(brand.logo.ink, theme, tokens)
  return (
    <div class="brand-page" style={{ colorScheme: theme, ...variables, ...(plate !== null && { '--logo-plate': plate }) }}>
      <p class="brand-page-head">
        <BrandMark brand={brand.logo === undefined ? { ...brand, logoUrl: undefined } : brand} />
        <b>Your talk</b>
      </p>
      <p class="brand-page-slide">A slide</p>
      <span class="brand-page-thread" />
      <p class="small muted">Automated presenter{brand.name ? ` for ${brand.name}` : ''}</p>
      <p class="actions">
        <span class="btn btn-primary btn-dense">Book a call</span>
        <span class="btn-link">A link</span>
      </p>
    </div>
  )
}
