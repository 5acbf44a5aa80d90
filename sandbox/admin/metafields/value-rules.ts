/** The longest JSON value that apps may write since API version 2026-04. */
const MAX_JSON_BYTES = 128 * 1024
const MAX_ELEMENTS = 128

export type Validation = { name: string; value: string }
/** The value as the platform keeps it; or what is wrong with it, for a list with the place of the element. */
export type Checked = { value: string } | { problem: string; element?: number }

/** Whether an object exists that a value refers to. */
export type Exists = (gid: string) => Promise<boolean>

/** Checks a value by its type and the rules of its definition. */
export async function checkValue(type: string, value: string, rules: Validation[], exists: Exists): Promise<Checked> {
  if (type !== 'json' && !type.startsWith('list.') && type !== 'rich_text_field') {
    return checkOne(type, value, rules, exists)
  }
  if (value.trim() === '') return { problem: "Value can't be blank." }
  if (Buffer.byteLength(value) > MAX_JSON_BYTES) return { problem: 'Value is too long.' }
  const parsed = parseJson(value)
  if ('problem' in parsed) return parsed
  if (!type.startsWith('list.')) return { value }
  if (!Array.isArray(parsed.json)) return { problem: 'Value must be an array.' }
  if (parsed.json.length > MAX_ELEMENTS) return { problem: `Value has more than ${MAX_ELEMENTS} elements.` }
  for (const [element, one] of parsed.json.entries()) {
    const text = typeof one === 'string' ? one : JSON.stringify(one)
    const checked = await checkOne(type.slice('list.'.length), text, rules, exists)
    if (!('problem' in checked)) continue
    return type.endsWith('_reference') ? checked : { ...checked, element }
  }
  return { value }
}

function parseJson(text: string): { json: unknown } | { problem: string } {
  try {
    return { json: JSON.parse(text) }
  } catch (err) {
    const message = String(err)
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? text.length)
    const lines = text.slice(0, at).split('\n')
    const rest = text.slice(at).replace(/[}\]]$/, '')
    const what = /property name/.test(message) ? 'expected object key, got' : 'unexpected character:'
    return {
      problem: `Value is invalid JSON: ${what} '${rest}' at line ${lines.length} column ${lines.at(-1)!.length + 1}.`
    }
  }
}

async function checkOne(type: string, value: string, rules: Validation[], exists: Exists): Promise<Checked> {
  if (value.trim() === '') return { problem: "Value can't be blank." }
  if (type.endsWith('_reference')) {
    return (await exists(value)) ? { value } : { problem: `Value references non-existent resource ${value}.` }
  }
  const rule = RULES[type] ?? (MEASUREMENT_UNITS[type] ? measurement : undefined)
  const checked = rule ? rule(value, type) : { value }
  if ('problem' in checked) return checked
  const problem = brokenRule(type, checked.value, rules)
  return problem ? { problem } : checked
}

type Rule = (value: string, type: string) => Checked
const bad = (problem: string): Checked => ({ problem })

const RULES: Record<string, Rule> = {
  boolean(value) {
    const word = value.trim().toLowerCase()
    if (['true', 't', '1'].includes(word)) return { value: 'true' }
    return ['false', 'f', '0'].includes(word) ? { value: 'false' } : bad('Value must be true or false.')
  },
  number_integer(value) {
    const [, digits] = /^(-?\d{1,16})(?:\.0+)?$/.exec(value) ?? []
    return digits === undefined ? bad('Value must be an integer.') : { value: digits }
  },
  number_decimal(value) {
    const [, sign = '', whole, part = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? []
    if (whole === undefined) return bad('Value must be a decimal.')
    if (whole.length > 13) return bad("Value can't exceed 9999999999999.")
    return { value: `${sign}${whole}${part && `.${part.slice(0, 9)}`}` }
  },
  date: (value) => (/^\d{4}-\d{2}-\d{2}$/.test(value) ? { value } : bad('Value must be in YYYY-MM-DD format.')),
  date_time: (value) =>
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:\d{2})?$/.test(value)
      ? { value }
      : bad('Value must be in “YYYY-MM-DDTHH:MM:SS” format. For example: 2022-06-01T15:30:00'),
  color: (value) => (/^#[0-9a-f]{6}$/i.test(value) ? { value } : bad('Value must be a hex color code.')),
  single_line_text_field: (value) =>
    /[\r\n]/.test(value) ? bad('Value must be a single line text string.') : { value },
  url: checkUrl,
  link: checkLink,
  money: checkMoney,
  rating: checkRating
}

const SCHEMES = ['http', 'https', 'mailto', 'sms', 'tel']

function checkUrl(value: string): Checked {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):/i.exec(value) ?? []
  if (scheme === undefined) {
    const list = SCHEMES.map((one) => `"${one}"`).join(', ')
    return bad(
      `Value cannot have an empty scheme (protocol), must include one of the following URL schemes: [${list}].'`
    )
  }
  return SCHEMES.includes(scheme.toLowerCase())
    ? { value }
    : bad(`Value must be one of the following URL schemes: ${SCHEMES.join(', ')}.`)
}

function objectIn(value: string): Record<string, unknown> | null {
  const parsed = parseJson(value)
  const json = 'json' in parsed ? parsed.json : null
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : null
}

function checkLink(value: string): Checked {
  const { url } = objectIn(value) ?? {}
  return typeof url === 'string' && 'value' in checkUrl(url) ? { value } : bad('Value must be a valid link.')
}

const MAX_MONEY = 1_000_000_000_000_000_000n

function checkMoney(value: string): Checked {
  const money = objectIn(value)
  if (!money || !('amount' in money) || !('currency_code' in money)) {
    return bad(
      "Value must be a stringified JSON object with amount (numeric) and currency_code (string matching the shop's currency) fields."
    )
  }
  const amount = String(money.amount)
  const currency = String(money.currency_code ?? '')
  if (currency === '') return bad('Value must have a currency code.')
  const [, whole] = /^-?(\d+)(\.\d+)?$/.exec(amount) ?? []
  if (whole === undefined) return bad('Value must have a numeric amount.')
  if (BigInt(whole) > MAX_MONEY) return bad(`Value must be within +/-${MAX_MONEY}.`)
  if (!Intl.supportedValuesOf('currency').includes(currency))
    return bad(`Value contains an invalid currency, ${currency}.`)
  return { value }
}

function checkRating(value: string): Checked {
  const { value: stars, scale_min: least, scale_max: most } = objectIn(value) ?? {}
  if ([stars, least, most].some((one) => !Number.isFinite(Number(one ?? Number.NaN)))) {
    return bad('Value must be a stringified JSON object with value, scale_min, and scale_max fields.')
  }
  if (Number(stars) > Number(most)) return bad(`Value has a maximum of ${most}.`)
  return Number(stars) < Number(least) ? bad(`Value has a minimum of ${least}.`) : { value }
}

const MEASUREMENT_UNITS: Record<string, string[]> = {
  dimension: ['in', 'ft', 'yd', 'mm', 'cm', 'm', 'inches', 'feet', 'yards', 'millimeters', 'centimeters', 'meters'],
  weight: ['oz', 'lb', 'g', 'kg', 'ounces', 'pounds', 'grams', 'kilograms'],
  volume: [
    'ml',
    'cl',
    'l',
    'm3',
    'us_fl_oz',
    'us_pt',
    'us_qt',
    'us_gal',
    'imp_fl_oz',
    'imp_pt',
    'imp_qt',
    'imp_gal',
    'milliliters',
    'centiliters',
    'liters'
  ]
}

function measurement(value: string, type: string): Checked {
  const { value: size, unit } = objectIn(value) ?? {}
  const number = typeof size === 'number' ? size : Number.NaN
  if (!(number >= 0)) return bad('Value must be a non-negative number.')
  return MEASUREMENT_UNITS[type]!.includes(String(unit).toLowerCase())
    ? { value }
    : bad('Value must be a supported unit.')
}

/** The first rule of a definition that a value breaks. */
function brokenRule(type: string, value: string, rules: Validation[]): string | null {
  const isText = type.endsWith('text_field')
  for (const { name, value: limit } of rules) {
    const size = isText ? [...value].length : Number(value)
    const of = isText ? ' length of' : ' of'
    if (name === 'max' && size > Number(limit)) return `Value has a maximum${of} ${limit}.`
    if (name === 'min' && size < Number(limit)) return `Value has a minimum${of} ${limit}.`
    if (name === 'regex' && !new RegExp(limit).test(value)) return 'Value is not the correct format.'
    if (name === 'choices') {
      const choices: string[] = JSON.parse(limit)
      const list = choices.map((one) => JSON.stringify(one)).join(', ')
      if (!choices.includes(value)) return `Value does not exist in provided choices: [${list}].`
    }
  }
  return null
}
