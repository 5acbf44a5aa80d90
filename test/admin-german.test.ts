// What the service tells by codes and amounts is in the words of a German interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CUT_TABLES, openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { picture } from './storefront-browser.ts'
import { aTeam } from './team.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const store = await service.aStore({ name: 'Bohne & Blatt', timezone: 'Europe/Vienna', currency: 'EUR' })
const GERMAN = { locale: 'de-DE' }

/** A member whose second cycle is declined, and whom Sue pauses, resumes and cancels. */
async function aLife() {
  const { customer } = await store.member('ada@example.com')
  await store.card(customer.id, 'insufficient_funds')
  await store.advance({ to: '2026-03-01T12:00:00Z' })
  const [{ id }] = (await service.admin('GET', `${store.at}/subscriptions`)).data
  const team = aTeam(service)
  const sue = await team.person('sue@example.com', 'support')
  const act = async (what: string, body: object = {}) => {
    const path = `/admin/api${store.at}/subscriptions/${id}/${what}`
    const { status } = await team.ask('POST', path, { body, cookie: sue.cookie })
    assert.ok(status < 300, `${what}: ${status}`)
  }
  await act('pause', { duration: 10 })
  await act('resume')
  await act('notes', { note: 'Hat angerufen' })
  await act('cancel', { reason: 'too_expensive' })
  return { id, customer }
}

test('a history has its sentences, dates, amounts and reasons in German, and names who did something', {
  skip
}, async () => {
  const { id, customer } = await aLife()
  const { page, complaints, close } = await openAdmin(service, {
    ...GERMAN,
    path: `${store.at}/subscriptions/${id}`
  })
  const entries = page.getByRole('region', { name: 'Verlauf' })
  await entries.getByText('Aktiv: die erste Zahlung ist erfolgt').waitFor()
  const shown = (await entries.innerText()).replaceAll('\u00a0', ' ')
  for (const sentence of [
    'Angelegt: VIP für 29,00 € jeden Monat',
    'Abbuchung von 29,00 € für Zyklus 2 begonnen',
    'Abbuchung von 29,00 € für Zyklus 2 gescheitert: Auf dem Konto ist nicht genug Geld; später kann es gehen',
    'Nächster Versuch am 02.03.2026',
    'Pausiert bis 11.03.2026',
    'Fortgesetzt; der unbezahlte Zyklus 2 ist am 02.03.2026 fällig',
    'Gekündigt: Zu teuer',
    'Notiz'
  ]) {
    assert.ok(shown.includes(sentence), `${sentence} in ${shown}`)
  }
  assert.doesNotMatch(shown, /Charge of|Next |Team|EUR|too_expensive/)
  assert.equal(shown.match(/ · sue$/gm)?.length, 4)
  await page.getByText('Zu teuer', { exact: true }).waitFor()

  await page.goto(`${service.url}/admin${store.at}/members/${customer.id}`)
  const timeline = page.getByRole('region', { name: 'Verlauf' })
  await timeline.getByText('Gekündigt: Zu teuer').waitFor()
  await settled(page)
  assert.equal((await timeline.innerText()).match(/ · sue$/gm)?.length, 4)
  await page.goto(`${service.url}/admin${store.at}`)
  await page.getByText('Zu teuer · 1').waitFor()
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('the preview of a cart gives its reasons in German, with amounts of the currency, and is whole on a telephone', {
  skip
}, async () => {
  const [plan] = (await service.admin('GET', `${store.at}/plans`)).data
  const perks = { discount: { type: 'percentage', value: 15, applies_to: 'all' } }
  await service.admin('PATCH', `${store.at}/plans/${plan.id}`, { perks })
  const { page, complaints, close } = await openAdmin(service, { ...GERMAN, path: `${store.at}/plans/${plan.id}` })
  await page.setViewportSize({ width: 390, height: 900 })
  const prices = page.getByRole('table', { name: 'Was der Warenkorb kostet' })
  await prices.getByRole('columnheader', { name: 'Als Mitglied' }).waitFor()
  const shown = (await prices.innerText()).replaceAll('\u00a0', ' ')
  for (const words of [
    '15 % Rabatt auf den Preis von 25,00 €',
    'der Plan hat keinen kostenlosen Versand',
    'der Angebotspreis ist nicht höher als der Vergleichspreis mit 15 % Rabatt, 68,00 €'
  ]) {
    assert.ok(shown.includes(words), `${words} in ${shown}`)
  }
  assert.doesNotMatch(shown, /\boff\b|the plan|sale price/)
  assert.deepEqual(await page.evaluate(CUT_TABLES), [])
  await prices.scrollIntoViewIfNeeded()
  await picture(page, 'admin-german-plan-390')
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('what signing in refuses is said in German, by the code that the service gives', { skip }, async () => {
  const { status, body } = await aTeam(service).signIn('nobody@example.com', 'a wrong password')
  assert.deepEqual(
    [status, body.error.code, body.error.reason],
    [401, 'authentication_failed', 'invalid_email_or_password']
  )
  const out = await openAdmin(service, { ...GERMAN, isSignedIn: false })
  await out.page.getByLabel('E-Mail-Adresse').fill('nobody@example.com')
  await out.page.getByLabel('Passwort', { exact: true }).fill('a wrong password')
  await out.page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await out.page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor()
  await out.page.goto(`${service.url}/admin/welcome#nonsense`)
  await out.page.getByText(/^Dieser Link wurde verwendet oder zurückgezogen oder ist zu alt/).waitFor()
  await out.close()

  const { page, person, close } = await openAdmin(service, { ...GERMAN, path: `${store.at}/account` })
  const change = async (current: string, next: string) => {
    await page.getByLabel('Jetziges Passwort', { exact: true }).fill(current)
    await page.getByLabel('Neues Passwort', { exact: true }).fill(next)
    await page.getByRole('button', { name: 'Passwort ändern' }).click()
  }
  await change(person.password, 'short')
  await page.getByText('Das Passwort muss mindestens 12 Zeichen haben.').waitFor()
  await change('not the password', 'correct horse battery staple')
  await page.getByText('Das Passwort ist falsch.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill(' ')
  await page.getByRole('button', { name: 'Speichern' }).click()
  await page.getByText('Hier muss ein Text von 1 bis 100 Zeichen stehen.').waitFor()
  await close()
})

test('a second plan of a type says whose perks its members get', { skip }, async () => {
  const reader = { name: 'Leser', type: 'vip', price: '5.00', interval: 'month' }
  const { id } = await service.admin('POST', `${store.at}/plans`, reader)
  const { page, close } = await openAdmin(service, { ...GERMAN, path: `${store.at}/plans` })
  const row = page.getByRole('row', { name: /Leser/ })
  await row.getByText('Die von VIP, dem Hauptplan').waitFor()
  await row.getByRole('link', { name: 'Leser' }).click()
  await page.getByText('Mitglieder dieses Plans haben die Vorteile von VIP').waitFor()
  await service.admin('PATCH', `${store.at}/settings`, { main_plan: { vip: id } })
  await page.reload()
  await page.getByRole('heading', { name: 'Mit einem Warenkorb ausprobieren' }).waitFor()
  await settled(page)
  assert.equal(await page.getByText(/haben die Vorteile von/).count(), 0)
  await service.admin('PATCH', `${store.at}/settings`, { main_plan: { vip: null } })
  await close()
})

test('the next try of a delivery says that it comes with the clock of the store', { skip }, async () => {
  // A port where nobody listens.
  await service.admin('POST', `${store.at}/webhooks`, { url: 'http://127.0.0.1:9/hooks' })
  await store.member('bob@example.com')
  await store.advance({ by: 'PT1S' })
  const [retrying] = (await service.admin('GET', `${store.at}/webhook-deliveries?status=retrying`)).data
  const { page, close } = await openAdmin(service, {
    ...GERMAN,
    path: `${store.at}/webhooks/deliveries/${retrying.webhook_id}`
  })
  await page.getByText(/auf der Uhr dieses Shops: Er geschieht, wenn sie dorthin vorgestellt wird/).waitFor()
  await close()
})
