// The published table of decline codes against the platform's lists, the documents, and what is decided of each code.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DECLINE_TABLE, declineOf, refusalOf } from './decline-codes.ts'

const root = new URL('../../../', import.meta.url)
const sdl = gunzipSync(
  await readFile(new URL('test/fixtures/platform/admin-schema.2026-07.graphql.gz', root))
).toString()

function namesOf(enumName: string): string[] {
  const body = new RegExp(`enum ${enumName} \\{([\\s\\S]*?)\\n\\}`).exec(sdl)![1]!.replace(/"""[\s\S]*?"""/g, '')
  return [...body.matchAll(/^ {2}([A-Z_0-9]+)/gm)].map((match) => match[1]!)
}

const codesFrom = (source: string) =>
  DECLINE_TABLE.filter((row) => row.source === source).map((row) => row.platformCode)

test("the table has exactly the platform's codes, of charges and of calls, and those that 2026-10 adds", () => {
  assert.deepEqual(codesFrom('charge').sort(), namesOf('SubscriptionBillingAttemptErrorCode').sort())
  assert.deepEqual(codesFrom('call').sort(), namesOf('BillingAttemptUserErrorCode').sort())
  assert.deepEqual(codesFrom('2026-10').sort(), [
    'INCORRECT_CVC',
    'INCORRECT_PIN',
    'INVALID_AMOUNT',
    'INVALID_CVC',
    'INVALID_REQUEST'
  ])
  assert.equal(new Set(DECLINE_TABLE.map((row) => row.platformCode)).size, DECLINE_TABLE.length)
})

test('each row is what its code is taken for, in any case, and has a reason of its own words', () => {
  for (const { platformCode, code, declineCode, kind, reason } of DECLINE_TABLE) {
    assert.equal(declineCode, platformCode.toLowerCase())
    for (const written of [platformCode, declineCode]) {
      assert.deepEqual(declineOf(written), { code, declineCode, kind })
      assert.deepEqual(refusalOf(written), { code, declineCode, kind })
    }
    assert.match(reason, /^[A-Z].{19,}\.$/, platformCode)
  }
})

test('what only a new payment method cures waits for one', () => {
  for (const code of [
    ...['INCORRECT_ADDRESS', 'INCORRECT_CVC', 'INCORRECT_NUMBER', 'INCORRECT_PIN', 'INCORRECT_ZIP'],
    ...['INVALID_CVC', 'INVALID_NUMBER', 'INVALID_EXPIRY_DATE', 'INVALID_BILLING_ADDRESS', 'INVALID_PAYMENT_METHOD'],
    ...['INVALID_CUSTOMER_BILLING_AGREEMENT', 'CARD_NUMBER_INCORRECT', 'EXPIRED_CARD', 'EXPIRED_PAYMENT_METHOD'],
    ...['PICKUP_CARD', 'PICK_UP_CARD', 'REVOCATION_OF_AUTHORIZATION', 'REVOCATION_OF_ALL_AUTHORIZATIONS'],
    ...['STOP_PAYMENT_ORDER', 'LOST_CARD', 'STOLEN_CARD', 'ACCOUNT_CLOSED'],
    ...['AUTHENTICATION_REQUIRED', 'AUTHENTICATION_FAILED', 'AUTHENTICATION_ERROR', 'OFF_SESSION_REJECTED'],
    // Not in any list yet.
    'INCORRECT_SOMETHING_NEW'
  ]) {
    assert.equal(declineOf(code).kind, 'hard', code)
  }
})

test('what no card cures is held for a person', () => {
  for (const code of [
    ...['INVALID_CURRENCY', 'AMOUNT_TOO_LARGE', 'AMOUNT_TOO_SMALL', 'INVALID_AMOUNT', 'FREE_GIFT_CARD_NOT_ALLOWED'],
    ...['INVALID_PURCHASE_TYPE', 'PURCHASE_TYPE_NOT_SUPPORTED', 'INVALID_SHIPPING_ADDRESS', 'INVALID_REQUEST']
  ]) {
    const declineCode = code.toLowerCase()
    assert.deepEqual(declineOf(code), { code: 'invalid_order', declineCode, kind: 'held' })
  }
})

test('what may pass with the same card is retried, and stock has its own schedule', () => {
  const kindOf = (code: string) => declineOf(code).kind
  for (const code of [
    'INSUFFICIENT_FUNDS',
    'CARD_DECLINED',
    'DO_NOT_HONOR',
    'TRANSIENT_ERROR',
    'MERCHANT_ACCOUNT_ERROR'
  ]) {
    assert.equal(kindOf(code), 'soft', code)
  }
  for (const code of ['INSUFFICIENT_INVENTORY', 'INVENTORY_ALLOCATIONS_NOT_FOUND'])
    assert.equal(kindOf(code), 'inventory')
  assert.deepEqual(declineOf('INVOICE_ALREADY_PAID').code, 'already_paid')
})

test('a code that nobody knows passes through: of a charge as a soft decline, of a call as not accepted', () => {
  assert.deepEqual(declineOf('MOON_PHASE'), { code: 'card_declined', declineCode: 'moon_phase', kind: 'soft' })
  assert.deepEqual(declineOf(null), { code: 'processing_error', declineCode: 'unexpected_error', kind: 'soft' })
  assert.deepEqual(refusalOf('MOON_PHASE'), { code: 'not_accepted', declineCode: 'moon_phase', kind: 'held' })
  assert.deepEqual(refusalOf('INCORRECT_SOMETHING_NEW').code, 'not_accepted')
  assert.equal(refusalOf(undefined).code, 'not_accepted')
  assert.equal(refusalOf('contract_paused').code, 'contract_not_billable')
})

test('docs/declines.md has every row, and docs/api.md every code with its class', async () => {
  const page = await readFile(new URL('docs/declines.md', root), 'utf8')
  const api = await readFile(new URL('docs/api.md', root), 'utf8')
  for (const { platformCode, code, declineCode, kind, reason, source } of DECLINE_TABLE) {
    assert.ok(page.includes(`| \`${platformCode}\` | \`${code}\` | ${kind} | ${reason} | ${source} |`), platformCode)
    const row = api.split('\n').find((line) => line.startsWith(`| \`${code}\` | ${kind} |`))
    assert.ok(row?.includes(`\`${declineCode}\``), declineCode)
  }
})
