/** Everything by which rows of a store can be about a person. Numbers of the platform are texts of digits. */
export type Person = {
  /** Our numbers of the customer, and of those that were merged into them. */
  memberIds: number[]
  /** Theirs on the platform. */
  customerIds: string[]
  /** What they pay for. */
  subscriptionIds: number[]
  /** Theirs on the platform, of their orders. */
  orderNumbers: string[]
  emails: string[]
  phones: string[]
  /** First names, last names and whole names. */
  names: string[]
}

/** What is erased is replaced by this where a text must not be empty. */
export const ERASED = 'erased'

const MIN_PHONE_DIGITS = 7
const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, (c) => `\\${c}`)

/** As a text has them: as they are, and in addresses of the web. */
const spellings = (text: string) => [...new Set([text, encodeURIComponent(text)])]

/** The digits with what people write between them; a national number is also found without its country. */
function phonePatterns(phone: string): string[] {
  const digits = phone.replace(/\D/g, '')
  if (digits.length < MIN_PHONE_DIGITS) return []
  const wanted = digits.length > 10 ? [digits, digits.slice(-10)] : [digits]
  return wanted.map((some) => [...some].join('[-. ()/]{0,3}'))
}

const LETTER_OR_DIGIT = '[[:alnum:]]'
const LETTER = '[[:alpha:]]'
const whole = (patterns: string[], edge: string) =>
  patterns.length === 0 ? [] : [`(?<!${edge})(?:${patterns.join('|')})(?!${edge})`]

/** Longest first, so that a whole name is replaced before its first name is. */
const longestFirst = (texts: string[]) =>
  [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))].sort((a, b) => b.length - a.length)

/** Addresses, phones and the numbers of the platform: they are nobody else's. */
function certainPatterns({ emails, phones, customerIds }: Person): string[] {
  return [
    ...whole(longestFirst(emails).flatMap(spellings).map(escaped), LETTER_OR_DIGIT),
    ...whole([...phones.flatMap(phonePatterns), ...customerIds], '[0-9]')
  ]
}

const NOTHING = '(?!a)a'
const either = (patterns: string[]) => (patterns.length === 0 ? NOTHING : patterns.join('|'))

/**
 * A regular expression of PostgreSQL (`~*`) for texts that are certainly about the person: they have an address, a phone or a number of
 * theirs. A name alone may be somebody else's.
 */
export const certainlyAbout = (person: Person): string => either(certainPatterns(person))

/** The same, and the names: for replacing in a text that is about the person. */
export const identifiersOf = (person: Person): string =>
  either([...certainPatterns(person), ...whole(longestFirst(person.names).flatMap(spellings).map(escaped), LETTER)])

/** The same for JSON of ours, which names customers, members and subscriptions by their public ids. */
export function namedIn(person: Person): string {
  const ids = [
    ...person.memberIds.map((id) => `(?:cust|mem)_${id}`),
    ...person.subscriptionIds.map((id) => `sub_${id}`)
  ]
  return either([...certainPatterns(person), ...(ids.length === 0 ? [] : [`"(?:${ids.join('|')})"`])])
}

/** Replaces what identifies the person in a text that is about them. */
export function textEraser(person: Person): (text: string) => string {
  // PostgreSQL accepts an escaped hyphen anywhere, the `u` of JavaScript only in a class.
  const pattern = new RegExp(
    identifiersOf(person)
      .replaceAll(LETTER_OR_DIGIT, '[\\p{L}\\p{N}]')
      .replaceAll(LETTER, '\\p{L}')
      .replaceAll('\\-', '\\x2d'),
    'giu'
  )
  return (text) => text.replace(pattern, ERASED)
}
