import { CommandError, FileRefused } from './command-error.ts'
import type { Flags } from './flags.ts'

/** The fields of the admin API that a flag may set, by the flag's key, where the names differ. */
const OTHER_FIELDS: Record<string, string> = {
  countries: 'allowed_countries',
  customer: 'customer_id',
  date: 'next_billing_date',
  days: 'duration',
  key: 'Idempotency-Key',
  paymentMethod: 'payment_method_id',
  plan: 'plan_id',
  products: 'product_ids',
  text: 'note',
  variant: 'variant_id'
}

/**
 * The codes of refusals that may name a field: its value is wrong, is wrong at present, as an amount above the balance is, or names
 * nothing that there is.
 */
const NAME_FIELDS = new Set(['invalid_request', 'conflict', 'not_found'])

/**
 * A refusal of the server in words of the command line: `product_ids must be …` becomes `--products (product_ids) must be …`.
 * `fields` are further fields by the key of their flag. Errors of another kind, and those about a file, are returned as they are.
 */
export function nameFlags(err: unknown, flags: Flags, fields: Record<string, string> = {}): unknown {
  if (!(err instanceof CommandError && NAME_FIELDS.has(err.code)) || err instanceof FileRefused) return err
  const flagOf = new Map<string, string>()
  for (const [key, { written }] of Object.entries(flags)) {
    const flag = written.split(' ')[0]!
    if (!flag.startsWith('--')) continue
    for (const field of [fields[key], OTHER_FIELDS[key], snakeCase(key)]) if (field) flagOf.set(field, flag)
  }
  if (flagOf.size === 0) return err
  const named = (field: string, path = '') => {
    const flag = flagOf.get(field)!
    return path === '' && flag === `--${field.replaceAll('_', '-')}` ? flag : `${flag} (${field}${path})`
  }
  return new CommandError(
    err.code,
    err.message.replace(fieldsIn([...flagOf.keys()]), (_, start = '', field, path, word) =>
      field ? start + named(field, path) : named(word)
    )
  )
}

/**
 * Where a message names a field: at the beginning of a problem, perhaps with a path into the value (`perks.discount.value`), after
 * "with" or "without" at the end of a clause, and wherever a name with an underscore is, which is no English word.
 */
function fieldsIn(fields: string[]): RegExp {
  const any = (names: string[]) => names.map((name) => RegExp.escape(name)).join('|')
  const unmistakable = fields.filter((field) => field.includes('_'))
  const anywhere = unmistakable.length > 0 ? `|\\b(?:${any(unmistakable)})\\b` : ''
  const condition = `(?<=\\bwith(?:out)? )(?:${any(fields)})(?=[;,]|$)`
  return new RegExp(`(^|; )(${any(fields)})([.[]\\S+)?(?= )|(${condition}${anywhere})`, 'g')
}

const snakeCase = (key: string) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
