// The extension in the platform's customer accounts, without its screens: what it asks the service, what it says, and that nothing keeps anybody.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { CancelFlow, type CancelState } from '../extensions/customer-account/src/cancel-flow.ts'
import { Membership } from '../extensions/customer-account/src/membership.ts'
import { askService, pauseDays, serviceAddress } from '../extensions/customer-account/src/service.ts'
import {
  type AllWords,
  contractFacts,
  pauseWord,
  statusWord,
  summary,
  wordsIn
} from '../extensions/customer-account/src/wording.ts'
import { LANGUAGES, localeFile, localeOf } from '../scripts/extension-locales.ts'
import { consequences } from '../web/storefront/shared/price-lines.ts'
import { aChurnShop, QUARTER_OFF } from './churn-shop.ts'
import { customerToken } from './customer-token.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

/** What stands before a service: answers with 503, by a page that is no JSON, for what it does not let through. */
let isOpen: (path: string) => boolean = () => true
const bearers: string[] = []
const gate = createServer(async (request, response) => {
  const { method, headers, url: path = '' } = request
  if (!isOpen(path)) return void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Away</h1>')
  bearers.push(headers.authorization ?? '')
  const body = method === 'POST' ? await new Response(request as never).text() : undefined
  const { authorization = '', 'content-type': type } = headers
  const answer = await fetch(`${service.urls.public}${path}`, {
    method,
    headers: { authorization, ...(type && { 'content-type': type }) },
    body
  })
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}).listen(0, '127.0.0.1')
await new Promise((resolve) => gate.once('listening', resolve))
after(() => gate.close())
const address = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`

async function aMember() {
  isOpen = () => true
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  let tokens = 0
  const claims = { dest: shop.domain, sub: `gid://platform/Customer/${ada}` }
  const ask = askService(address, async () => customerToken({ ...claims, jti: String(++tokens) }))
  const changes = new EventTarget()
  const onChange = () => changes.dispatchEvent(new Event('change'))
  /** Comes back once the customer sees something else that fits. */
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await new Promise((resolve) => changes.addEventListener('change', resolve, { once: true }))
  }
  const flow = new CancelFlow(vip.contractId, ask, onChange)
  return { shop, ada, vip, ask, until, onChange, flow, membership: new Membership(ask, onChange) }
}

/** What it is now, for a compiler that remembers what it was. */
const stateOf = (flow: CancelFlow): CancelState => flow.state

const offersIn = (flow: CancelFlow) => {
  const { state } = flow
  assert.ok(state.step === 'offers' && state.offers)
  return state.offers
}

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')

/** The texts of a language as the platform's `translate` gives them. */
async function wordsOf(language: string): Promise<AllWords> {
  const texts = JSON.parse(await readFile(localeFile(language), 'utf8'))
  return wordsIn(language, (key, values = {}) => {
    const [part, name] = key.split('.') as [string, string]
    return texts[part][name].replace(/\{\{(\w+)\}\}/g, (_: string, value: string) => values[value])
  })
}

test('a customer takes an offer, and sees the price that it leads to before and after', async () => {
  const { shop, flow, membership } = await aMember()
  await shop.offer(QUARTER_OFF)
  const english = await wordsOf('en')
  await flow.start()
  const first = stateOf(flow)
  assert.ok(first.step === 'reasons' && first.reasons)
  assert.equal(first.reasons[0]!.alias, 'too_expensive')
  flow.reason = 'too_expensive'
  await flow.showOffers()
  const [offer] = offersIn(flow)
  assert.deepEqual(consequences(english.cancel, offer!), ['$21.75 / month instead of $29.00', 'For 2 months'])
  await flow.accept(offer!)
  assert.deepEqual(stateOf(flow), { step: 'kept', offer })
  await membership.load()
  const [contract] = membership.state.account!.contracts
  assert.equal(statusWord(english.account, contract!), 'Active')
  const facts = Object.fromEntries(contractFacts(english.account, contract!))
  assert.deepEqual([facts.Price, facts.Offer], ['$21.75 / month instead of $29.00', 'Stay'])
  assert.match(facts['Next payment']!, /^\w+ \d+, \d{4}$/)
  const german = await wordsOf('de')
  assert.equal(
    plain(Object.fromEntries(contractFacts(german.account, contract!)).Preis!),
    '21,75 $ / Monat statt 29,00 $'
  )
  const credit = { ...membership.state.account!, store_credit: '1200.50', loyalty_points: 1200 }
  assert.deepEqual(
    summary(german.account, credit).map((fact) => fact.map(plain)),
    [
      ['Guthaben', '1.200,50 $'],
      ['Punkte', '1.200']
    ]
  )
})

test('an offer that is refused leaves the offers and the way out there; every request has a token of its own', async () => {
  const { shop, vip, flow } = await aMember()
  const offer = await shop.offer(QUARTER_OFF)
  flow.reason = 'too_expensive'
  bearers.length = 0
  await flow.showOffers()
  const [shown] = offersIn(flow)
  assert.equal((await shop.accept(vip.contractId, offer, { key: shop.key })).status, 200)
  await flow.accept(shown!)
  const after = stateOf(flow)
  assert.ok(after.step === 'offers' && after.failure)
  assert.deepEqual([after.isBusy, after.offers], [false, [shown]])
  await flow.cancelAnyway()
  assert.equal(stateOf(flow).step, 'confirmation')
  flow.comment = 'Too much coffee'
  await flow.cancelAnyway()
  assert.equal(stateOf(flow).step, 'cancelled')
  assert.equal((await shop.show(vip.id)).status, 'cancelled')
  assert.equal(new Set(bearers).size, bearers.length)
  assert.equal(bearers.length, 3)
})

test('reasons and offers that do not come lead to the confirmation, and a cancellation waits for an answer', async () => {
  const { shop, vip, flow, until } = await aMember()
  isOpen = () => false
  await flow.start()
  assert.equal(stateOf(flow).step, 'confirmation')
  await flow.showOffers()
  assert.equal(stateOf(flow).step, 'confirmation')
  const cancelled = flow.cancelAnyway()
  await until(() => stateOf(flow).step === 'waiting')
  assert.equal((await shop.show(vip.id)).status, 'active')
  isOpen = () => true
  flow.tryAgain()
  await cancelled
  assert.equal(stateOf(flow).step, 'cancelled')
  assert.equal((await shop.show(vip.id)).status, 'cancelled')
  await flow.cancelAnyway()
  assert.equal(stateOf(flow).step, 'cancelled')
})

test('the way out is open while a step is read, and what comes late changes nothing', async () => {
  const { flow } = await aMember()
  const reading = flow.start()
  assert.deepEqual(stateOf(flow), { step: 'reasons', reasons: null })
  await flow.cancelAnyway()
  assert.equal(stateOf(flow).step, 'confirmation')
  await reading
  assert.equal(stateOf(flow).step, 'confirmation')
})

test('who keeps the membership during a wait ends it; what was cancelled before is cancelled', async () => {
  const { shop, vip, flow, until, ask, onChange } = await aMember()
  isOpen = () => false
  await flow.start()
  const waiting = flow.cancelAnyway()
  await until(() => stateOf(flow).step === 'waiting')
  flow.close()
  await waiting
  isOpen = () => true
  assert.deepEqual([stateOf(flow).step, (await shop.show(vip.id)).status], ['closed', 'active'])
  await ask(`churn/${vip.contractId}/cancellation`, { reason: 'other' })
  const again = new CancelFlow(vip.contractId, ask, onChange)
  again.state = { step: 'confirmation' }
  await again.cancelAnyway()
  assert.equal(stateOf(again).step, 'cancelled')
  const others = new CancelFlow('1', ask, onChange)
  others.state = { step: 'confirmation' }
  await others.cancelAnyway()
  const refused = stateOf(others)
  assert.ok(refused.step === 'refused' && refused.message)
})

test('a customer pauses, resumes and skips where the store allows it, and takes a cancellation back', async () => {
  const { shop, vip, membership, ask } = await aMember()
  await membership.load()
  const contract = () => membership.state.account!.contracts[0]!
  await membership.act(vip.contractId, 'pause', 30)
  assert.deepEqual([membership.state.progress, contract().status], ['refused', 'ACTIVE'])
  assert.ok(membership.state.message)
  await service.admin('PATCH', `${shop.at}/settings`, { customers: { may_pause: 'on', may_skip: 'on' } })
  await membership.act(vip.contractId, 'pause', 30)
  assert.deepEqual([membership.state.progress, contract().status], ['idle', 'PAUSED'])
  assert.ok(contract().resumes_at)
  await membership.act(vip.contractId, 'resume', null)
  await membership.act(vip.contractId, 'pause', null)
  assert.deepEqual([contract().status, contract().resumes_at], ['PAUSED', ''])
  await membership.act(vip.contractId, 'resume', null)
  const before = contract().next_billing_date
  await membership.act(vip.contractId, 'skip', null)
  assert.ok(contract().next_billing_date > before)
  await ask(`churn/${vip.contractId}/cancellation`, { reason: 'other' })
  await membership.load()
  assert.equal(contract().actions.reactivate, true)
  await membership.act(vip.contractId, 'reactivate', null)
  assert.equal(contract().status, 'ACTIVE')
})

test('an account that cannot be read is read again, and a platform without a token is waited for', async () => {
  const { shop, ada, until, onChange } = await aMember()
  let isLoggedIn = false
  const ask = askService(`${address}`, async () => {
    if (!isLoggedIn) throw new Error('no session')
    return customerToken({ dest: shop.domain, sub: `gid://platform/Customer/${ada}` })
  })
  const membership = new Membership(ask, onChange)
  const loaded = membership.load()
  await until(() => membership.state.progress === 'away')
  isLoggedIn = true
  membership.tryAgain()
  await loaded
  assert.deepEqual([membership.state.progress, membership.state.account?.contracts.length], ['idle', 1])
  const stranger = new Membership(
    askService(address, async () => 'nonsense'),
    onChange
  )
  await stranger.load()
  assert.equal(stranger.state.progress, 'refused')
})

test('settings: the address of the service, and how long a pause is', () => {
  for (const [text, origin] of [
    ['https://perennial.example.com', 'https://perennial.example.com'],
    [' https://perennial.example.com/ ', 'https://perennial.example.com'],
    ['perennial.example.com', null],
    ['javascript:alert(1)', null],
    ['', null],
    [undefined, null]
  ]) {
    assert.equal(serviceAddress({ service_url: text }), origin)
  }
  assert.deepEqual(
    [undefined, '', 60, '14', 0, -1, 'long'].map((days) => pauseDays({ pause_days: days })),
    [30, 30, 60, 14, null, null, null]
  )
})

test('the texts are those of the elements, in the same languages, with the same keys', async () => {
  const english = await localeOf('en')
  const keys = (texts: object) => Object.keys(texts).sort()
  for (const language of LANGUAGES) {
    const texts = JSON.parse(await readFile(localeFile(language), 'utf8'))
    assert.deepEqual(texts, await localeOf(language), `npm run locales:generate writes ${language}`)
    for (const part of ['page', 'account', 'cancel'] as const) assert.deepEqual(keys(texts[part]), keys(english[part]))
  }
  assert.equal(plain(pauseWord((await wordsOf('fr')).account, 30)), 'Mettre en pause (30 jours)')
  assert.equal(pauseWord((await wordsOf('en')).account, null), 'Pause')
})
