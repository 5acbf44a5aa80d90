import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RowReading, readRow } from './read-row.ts'

const FACTS = {
  now: Temporal.Instant.from('2026-01-31T15:00:00Z'),
  timezone: 'America/New_York',
  currency: 'USD'
}
const read = (input: Record<string, string>): RowReading => readRow({ contract_id: '7', ...input }, FACTS)
const refusalOf = (input: Record<string, string>) => {
  const { refusal } = read(input)
  return refusal && [refusal.code, refusal.field]
}

test('fields are trimmed and parsed', () => {
  const requested = read({
    contract_id: 'gid://platform/SubscriptionContract/0012',
    email: ' Ada@Example.com ',
    price: '1234.5',
    currency: 'kwd',
    interval: 'MONTH',
    interval_count: '28',
    next_billing_date: '2026-02-10',
    cycles_paid: '0',
    max_cycles: '12',
    started_at: '2024-02-29 08:30:00+01:00',
    external_id: '№ 5'
  }).requested!
  assert.deepEqual(
    {
      ...requested,
      nextBillingAt: String(requested.nextBillingAt),
      startedAt: String(requested.startedAt)
    },
    {
      contractId: '12',
      customerId: null,
      email: 'Ada@Example.com',
      plan: null,
      variantId: null,
      currency: 'KWD',
      price: { text: '1234.5', minor: 1_234_500 },
      interval: 'month',
      intervalCount: 28,
      nextBillingAt: '2026-02-10T05:00:00Z',
      status: null,
      pausedUntil: null,
      paymentMethodId: null,
      cyclesPaid: 0,
      maxCycles: 12,
      startedAt: '2024-02-29T07:30:00Z',
      externalId: '№ 5'
    }
  )
})

test("a time without an offset is in the shop's time zone, even one that daylight saving skips", () => {
  for (const [given, at] of [
    ['2026-02-01T10:00', '2026-02-01T15:00:00Z'],
    ['2026-03-08T02:30:00', '2026-03-08T07:30:00Z'],
    ['2026-02-01T10:00:00.250Z', '2026-02-01T10:00:00.25Z']
  ] as const) {
    assert.equal(String(read({ next_billing_date: given }).requested?.nextBillingAt), at)
  }
})

test('an invalid field is refused with its name', () => {
  for (const [input, code, field] of [
    [{ contract_id: '0' }, 'invalid_field', 'contract_id'],
    [{ contract_id: 'gid://platform/Customer/7' }, 'invalid_field', 'contract_id'],
    [{ contract_id: '123456789012345678901' }, 'invalid_field', 'contract_id'],
    [{ email: 'ada' }, 'invalid_field', 'email'],
    [{ price: '29,00' }, 'invalid_field', 'price'],
    [{ price: '-1' }, 'invalid_field', 'price'],
    [{ price: '1.234' }, 'invalid_field', 'price'],
    [{ price: '29', currency: 'XXQ' }, 'invalid_field', 'currency'],
    [{ interval: 'fortnight' }, 'invalid_field', 'interval'],
    [{ interval_count: '29' }, 'invalid_field', 'interval_count'],
    [{ interval_count: '1.0' }, 'invalid_field', 'interval_count'],
    [{ next_billing_date: '31.01.2026' }, 'invalid_field', 'next_billing_date'],
    [{ next_billing_date: '2026-02-30' }, 'invalid_field', 'next_billing_date'],
    [{ next_billing_date: '2031-02-01' }, 'invalid_field', 'next_billing_date'],
    [{ next_billing_date: '2026-01-31T15:00:00Z' }, 'date_passed', 'next_billing_date'],
    [{ status: 'paused', paused_until: '2026-01-01' }, 'date_passed', 'paused_until'],
    [{ status: 'active', paused_until: '2026-03-01' }, 'invalid_field', 'paused_until'],
    [{ paused_until: '2026-03-01', next_billing_date: '2026-03-01' }, 'invalid_field', 'paused_until'],
    [{ status: 'cancelled' }, 'invalid_field', 'status'],
    [{ started_at: '2026-02-01' }, 'invalid_field', 'started_at'],
    [{ cycles_paid: '3', max_cycles: '3' }, 'invalid_field', 'cycles_paid'],
    [{ external_id: 'x'.repeat(201) }, 'invalid_field', 'external_id'],
    [{ contract_id: '' }, 'invalid_field', 'contract_id'],
    [{ contract_id: '', customer_id: '5' }, 'invalid_field', 'plan'],
    [{ contract_id: '', customer_id: '5', plan: 'VIP' }, 'invalid_field', 'next_billing_date'],
    [{ contract_id: '', customer_id: '5', variant_id: '9', next_billing_date: '2026-03-01' }, 'invalid_field', 'price'],
    [
      { contract_id: '', email: 'a@b.c', variant_id: '9', next_billing_date: '2026-03-01', price: '5' },
      'invalid_field',
      'interval'
    ]
  ] as const) {
    assert.deepEqual(refusalOf(input), [code, field], JSON.stringify(input))
  }
})

test('the message of a refusal contains no value of the row', () => {
  const inputs: Record<string, string>[] = [{ email: 'secret' }, { price: 'secret' }, { plan: 'secret'.repeat(20) }]
  for (const input of inputs) {
    assert.doesNotMatch(read(input).refusal!.message, /secret/)
  }
})
