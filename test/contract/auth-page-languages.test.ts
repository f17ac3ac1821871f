// The pages for people speak the language of their reader, as the room does: the address, the remembered choice, the browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSetupLink } from '../../server/accounts/sign-in.ts'
import { pagePath, person, register } from '../auth/agents.ts'
import { authWorld, baseUrl, owner } from '../auth/support.ts'
import { eachStore } from '../support/stores.ts'

eachStore((_, open) => {
  test('the sign-in is in the language of the browser, of a remembered choice, of the address', async () => {
    const world = authWorld((await open()).store)
    const browser = world.browser()
    const accepts = (language: string) => ({ 'accept-language': language })
    const german = await browser.get('/dashboard/sign-in', accepts('nl, de-CH;q=0.9, en;q=0.5'))
    assert.match(german.text, /<html lang="de">.*<h1>Anmelden<\/h1>.*Passwort vergessen\?/s)
    assert.doesNotMatch(german.text, /Sign in|Password/)
    const arabic = await browser.get('/dashboard/sign-in', accepts('ar'))
    assert.match(arabic.text, /<html lang="ar" dir="rtl">.*<h1>تسجيل الدخول<\/h1>/s)
    browser.cookies.set('lang', 'fr')
    assert.match((await browser.get('/dashboard/sign-in', accepts('de'))).text, /<h1>Se connecter<\/h1>/)
    assert.match((await browser.get('/dashboard/sign-in?lang=ja', accepts('de'))).text, /<h1>サインイン<\/h1>/)
    browser.cookies.delete('lang')
    assert.match((await browser.get('/dashboard/sign-in', accepts('tlh'))).text, /<html lang="en">.*<h1>Sign in<\/h1>/s)
    await world.close()
  })

  test('what is wrong with a form is said in that language too, and a program is told in English', async () => {
    const world = authWorld((await open()).store)
    const path = new URL((await createSetupLink(world.deps, world.clock.now())) ?? '').pathname
    const browser = world.browser()
    browser.cookies.set('lang', 'es')
    const wrong = await browser.submit(path, { ...owner, name: ' ', password: 'short' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /Escriba su nombre\..*Use al menos 12 caracteres\./s)
    assert.match(wrong.text, /value="maya@example\.com"/)
    const refused = await browser.submit('/dashboard/sign-in', { email: owner.email, password: 'none of theirs' })
    assert.equal(refused.status, 401)
    assert.match(refused.text, /role="alert">La dirección de correo o la contraseña no es correcta\./)
    const program = await browser.json('/dashboard/sign-in', { email: owner.email, password: 'none of theirs' }, { origin: baseUrl })
    assert.match(program.text, /The email address or the password is not right\./)
    await world.close()
  })

  test('a claim is decided in that language, from what it may do to the code', async () => {
    const world = authWorld((await open()).store)
    const browser = await person(world)
    const path = pagePath(await register(world))
    browser.cookies.set('lang', 'de')
    const asked = await browser.get(path)
    assert.match(
      asked.text,
      /<h1>Einen Agenten übernehmen<\/h1>.*Ihre Vorträge, Fragen und Mitschriften lesen.*Keine: Er hat noch keine erstellt\./s,
    )
    assert.match(asked.text, /Registriert vor 1 Minute aus dem Netz/)
    const none = await browser.submit(path, { decision: 'approve', narrows: '1' })
    assert.match(none.text, /role="alert">Kreuzen Sie an, was der Agent darf/)
    const code = await browser.submit(path, { decision: 'approve' })
    assert.match(code.text, /Nennen Sie dem Agenten diesen Code.*id="claim-code">[B-Z]{4}-[B-Z]{4}<.*Gültig für 10 Minuten\./s)
    await world.close()
  })

  test('what an application asks and cannot go on is told in that language, the words of the protocol as English', async () => {
    const world = authWorld((await open()).store)
    const { text } = await world.browser().get('/oauth2/authorize?client_id=nobody&response_type=code', { 'accept-language': 'it' })
    assert.match(text, /<html lang="it">.*<h1>Questa richiesta non può proseguire<\/h1><p lang="en" dir="ltr">/s)
    await world.close()
  })
})
