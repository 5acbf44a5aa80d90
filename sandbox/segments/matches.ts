import { currencyDecimals } from '#kit/money'
import { type FilterValue, filterNamed, type Person } from './filters.ts'
import type { Comparison, Condition, Literal } from './segment-query.ts'

/** The shop's calendar and money, which a query's dates and amounts are in. */
export type SegmentWorld = { now: Temporal.Instant; timezone: string; currency: string }

/** Whether a customer belongs to a segment. */
export function matches(condition: Condition, person: Person, world: SegmentWorld): boolean {
  switch (condition.type) {
    case 'and':
      return matches(condition.left, person, world) && matches(condition.right, person, world)
    case 'or':
      return matches(condition.left, person, world) || matches(condition.right, person, world)
    case 'not':
      return !matches(condition.of, person, world)
    default: {
      const read = filterNamed(condition.name)?.read
      const unit = 10 ** currencyDecimals(world.currency)
      const value = read ? read(person, { unit }) : null
      return compares(value, condition.comparison, world)
    }
  }
}

function compares(value: FilterValue, { op, values }: Comparison, world: SegmentWorld): boolean {
  const isNull = value === null || (Array.isArray(value) && value.length === 0)
  if (op === 'is null') return isNull
  if (op === 'is not null') return !isNull
  const negative = { 'not contains': 'contains', '!=': '=', 'not in': 'in' }[op]
  if (negative) return !compares(value, { op: negative, values }, world)
  if (value === null) return false
  if (Array.isArray(value)) {
    // Tags and the like are compared ignoring case.
    return values.some(({ text }) => value.some((one) => one.toLowerCase() === text.toLowerCase()))
  }
  if (op === 'between') {
    return order(value, values[0]!, world) >= 0 && order(value, values[1]!, world) <= 0
  }
  if (op === 'in') return values.some((one) => order(value, one, world) === 0)
  const text = String(value).toLowerCase()
  const [first] = values
  const wanted = first!.text.toLowerCase()
  if (op === 'contains') return text.includes(wanted)
  if (op === 'starts with') return text.startsWith(wanted)
  if (op === 'ends with') return text.endsWith(wanted)
  const sign = order(value, first!, world)
  if (op === '=') return sign === 0
  if (op === '>') return sign > 0
  if (op === '>=') return sign >= 0
  if (op === '<') return sign < 0
  return sign <= 0
}

/** Negative, zero or positive, as a value is below, at or above a literal. Days are those of the shop. */
function order(value: string | number | boolean | Temporal.Instant, { text }: Literal, world: SegmentWorld): number {
  if (typeof value === 'number') return value - Number(text)
  if (value instanceof Temporal.Instant) {
    const day = value.toZonedDateTimeISO(world.timezone).toPlainDate()
    return Temporal.PlainDate.compare(day, dayOf(text, world))
  }
  const [a, b] = [String(value).toLowerCase(), text.toLowerCase()]
  return a < b ? -1 : a > b ? 1 : 0
}

const UNITS = { d: 'days', w: 'weeks', m: 'months', y: 'years' } as const

/** `2026-01-31`, or `-30d`: so long before today. */
function dayOf(text: string, { now, timezone }: SegmentWorld): Temporal.PlainDate {
  const relative = /^(-?\d+)([dwmy])$/i.exec(text)
  if (!relative) return Temporal.PlainDate.from(text.slice(0, 10))
  const unit = UNITS[relative[2]!.toLowerCase() as keyof typeof UNITS]
  return now
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .add({ [unit]: Number(relative[1]) })
}
