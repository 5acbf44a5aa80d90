import type { Formats } from '../format/formats.ts'
import type { HistoryTexts } from './texts.ts'

/** An entry of the history of a subscription: what happened, with its details, and the service's own sentence. */
export type Entry = { kind: string; details: Record<string, unknown>; text: string }

/** What the sentences need beside the entry: texts, formats, and the words for codes. */
export type Words = {
  texts: HistoryTexts['sentences']
  formats: Formats
  zone: string
  cancelReason(reason: string): string
  chargeError(code: string | null, declineCode: string | null): string
}

/** Details of an entry: an earlier version of the service may have kept fewer. */
class Details {
  readonly #values: Record<string, unknown>
  readonly #words: Words

  constructor(values: Record<string, unknown>, words: Words) {
    this.#values = values
    this.#words = words
  }

  text(name: string): string | null {
    const value = this.#values[name]
    return typeof value === 'string' ? value : null
  }

  count(name: string): string | null {
    const value = this.#values[name]
    return typeof value === 'number' ? this.#words.formats.count(value) : null
  }

  money(name = 'amount'): string | null {
    const [value, currency] = [this.#values[name], this.#values.currency]
    return typeof value === 'number' && typeof currency === 'string' ? this.#words.formats.money(value, currency) : null
  }

  day(name: string): string | null {
    const value = this.text(name)
    return value === null ? null : this.#words.formats.day(value, this.#words.zone)
  }

  /** `monthly`, `every_3_months` in words. */
  frequency(name: string): string | null {
    const code = this.text(name)
    if (code === null) return null
    const [, count, unit] = /^every_([0-9]+)_(day|week|month|year)s$/.exec(code) ?? []
    if (count && unit) return this.#words.texts.every(count, unit)
    return this.#words.texts.frequencies[code] ?? null
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined
  }

  is(name: string): boolean {
    return this.#values[name] === true
  }

  part(name: string): Details | null {
    const value = this.#values[name]
    return typeof value === 'object' && value !== null
      ? new Details(value as Record<string, unknown>, this.#words)
      : null
  }
}

type Sentence = (details: Details, words: Words) => string | null

/** A sentence of parts that must all be known. */
const ifKnown = <Parts extends (string | null)[]>(
  parts: [...Parts],
  say: (...known: { [K in keyof Parts]: string }) => string
): string | null => (parts.every((part) => part !== null) ? say(...(parts as { [K in keyof Parts]: string })) : null)

const charge =
  (name: 'chargeScheduled' | 'actionRequired'): Sentence =>
  (d, { texts }) =>
    ifKnown([d.money(), d.count('cycle')], texts[name])

const next = (d: Details, { texts }: Words, name = 'next_billing_date') => {
  const day = d.day(name)
  return day === null ? '' : texts.nextCharge(day)
}

const withPastDue =
  (name: 'resumed' | 'reactivated'): Sentence =>
  (d, words) => {
    const { texts } = words
    // Who does not know what became of the cycle does not say it.
    if (d.has('past_due_cycle') && !d.has('is_missed')) return null
    const pastDue = d.count('past_due_cycle')
    const day = d.day('next_billing_date')
    if (pastDue === null) return d.has('cycle') ? null : texts[name] + next(d, words)
    if (d.is('is_missed')) return texts[name] + texts.missedCycle(pastDue) + next(d, words)
    return day === null ? null : texts[name] + texts.dueCycle(pastDue, day)
  }

const SENTENCES: Record<string, Sentence> = {
  created: (d, { texts }) => ifKnown([d.text('name'), d.money('price'), d.frequency('frequency')], texts.created),
  imported: (d, words) =>
    ifKnown([d.text('name'), d.money('price'), d.frequency('frequency')], (...terms) => {
      const pausedUntil = d.day('resumes_at')
      const goesOn = pausedUntil !== null ? words.texts.pausedUntilToo(pausedUntil) : next(d, words)
      return words.texts.imported(...terms) + (goesOn || words.texts.pausedToo)
    }),
  activated: (_, { texts }) => texts.activated,
  trial_started: (d, { texts }) => ifKnown([d.day('trial_ends_at')], texts.trialStarted),
  trial_ended: (_, { texts }) => texts.trialEnded,
  paused: (d, { texts }) =>
    d.has('resumes_at') ? (ifKnown([d.day('resumes_at')], texts.pausedUntil) ?? texts.paused) : null,
  resumed: (d, words) =>
    d.has('cycle')
      ? ifKnown([d.count('cycle')], (cycle) => words.texts.paidAfterAll(cycle) + next(d, words))
      : withPastDue('resumed')(d, words),
  reactivated: withPastDue('reactivated'),
  skipped: (d, words) => ifKnown([d.count('cycle')], (cycle) => words.texts.skipped(cycle) + next(d, words, 'to')),
  date_changed: (d, { texts }) =>
    d.has('to') ? (ifKnown([d.day('to')], texts.dateChanged) ?? texts.dateRemoved) : null,
  cancelled: (d, { texts, cancelReason }) =>
    ifKnown([d.text('reason')], (reason) => texts.cancelled(cancelReason(reason))),
  failed: (d, { texts, cancelReason }) => ifKnown([d.text('reason')], (reason) => texts.failed(cancelReason(reason))),
  expired: (_, { texts }) => texts.expired,
  gifted: (d, { texts }) => ifKnown([d.text('to')], texts.gifted) ?? ifKnown([d.text('from')], texts.giftRevoked),
  plan_changed: (d, { texts }) => {
    const names = d.part('plan_name')
    return names && ifKnown([names.text('from'), names.text('to')], texts.planChanged)
  },
  price_changed: (d, { texts }) => ifKnown([d.money('from'), d.money('to')], texts.priceChanged),
  frequency_changed: (d, { texts }) => ifKnown([d.frequency('from'), d.frequency('to')], texts.frequencyChanged),
  payment_method_changed: (d, { texts }) => {
    if (!d.has('to')) return null
    const after = d.part('to')
    if (!after) return texts.paymentMethodRemoved
    const name = after.text('brand') ?? after.text('type')?.replaceAll('_', ' ') ?? null
    return ifKnown([name], (name) => texts.paymentMethodChanged(name, after.text('last_four')))
  },
  charge_scheduled: charge('chargeScheduled'),
  charge_succeeded: (d, { texts }) =>
    ifKnown([d.money(), d.count('cycle')], (amount, cycle) => texts.charged(amount, cycle, d.text('order'))),
  charge_failed: (d, { texts, chargeError }) =>
    ifKnown([d.money(), d.count('cycle')], (amount, cycle) =>
      texts.chargeFailed(amount, cycle, chargeError(d.text('code'), d.text('decline_code')))
    ),
  retry_scheduled: (d, { texts }) => ifKnown([d.day('retry_date')], texts.nextRetry),
  retry_requested: (d, { texts }) => ifKnown([d.count('cycle')], texts.retryRequested),
  action_required: charge('actionRequired'),
  action_reminded: (d, { texts }) => ifKnown([d.count('reminder'), d.money(), d.count('cycle')], texts.actionReminded),
  charge_corrected: (d, { texts }) => ifKnown([d.money(), d.count('cycle')], texts.chargeCorrected),
  charged_after_stop: (_, { texts }) => texts.chargedAfterStop,
  recovered: (d, { texts }) => ifKnown([d.money()], texts.recovered),
  retries_exhausted: (d, { texts, cancelReason }) =>
    ifKnown([d.count('cycle'), d.text('reason')], (cycle, reason) => texts.noMoreRetries(cycle, cancelReason(reason))),
  offer_accepted: (d, { texts }) => ifKnown([d.text('name')], texts.offerAccepted),
  offer_ended: (d, { texts }) =>
    ifKnown([d.text('name'), texts.offerEnds[d.text('ended_by') ?? ''] ?? null], texts.offerEnded),
  note: (d, { texts }) => (d.has('agreement') ? null : texts.note)
}

/** What happened, in the language of the person; in the service's own words where an entry lacks what the sentence needs. */
export function sentenceOf({ kind, details, text }: Entry, words: Words): string {
  return SENTENCES[kind]?.(new Details(details, words), words) ?? text
}
