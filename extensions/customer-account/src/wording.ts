import type { Account, AccountContract } from '../../../sdk/src/storefront-answers.ts'
import { day, duration, money } from '../../../web/storefront/shared/format.ts'
import { currentPrice } from '../../../web/storefront/shared/price-lines.ts'
import type english from '../locales/en.default.json'

type Parts = typeof english
/** Texts of one part of the locale files, and the language that they are in. */
export type Words<Part extends keyof Parts> = {
  say: (key: keyof Parts[Part] & string, values?: Record<string, string>) => string
  language: string
}
export type AllWords = { [Part in keyof Parts]: Words<Part> }

/** The texts, by the platform's way to read the locale files. */
export function wordsIn(
  language: string,
  translate: (key: string, values?: Record<string, string>) => string
): AllWords {
  const part = <Part extends keyof Parts>(name: Part): Words<Part> => ({
    say: (key, values) => translate(`${name}.${key}`, values),
    language
  })
  return { page: part('page'), account: part('account'), cancel: part('cancel') }
}

/** A name and a value. */
export type Fact = readonly [string, string]

const given = (facts: (readonly [string, string | false])[]): Fact[] =>
  facts.filter((fact): fact is Fact => Boolean(fact[1]))

/** What the customer has besides contracts. */
export function summary({ say, language }: Words<'account'>, account: Account): Fact[] {
  const { store_credit: credit, currency, loyalty_points: points } = account
  return given([
    [say('credit'), Number(credit) > 0 && money(language, credit, currency)],
    [say('points'), points > 0 && new Intl.NumberFormat(language).format(points)]
  ])
}

export const statusWord = ({ say }: Words<'account'>, { status }: AccountContract): string =>
  say(status.toLowerCase() as Lowercase<AccountContract['status']>)

/** What a contract costs, when, and which offer applies. */
export function contractFacts(words: Words<'account'>, contract: AccountContract): Fact[] {
  const { say, language } = words
  const dateOf = (text: string) => text && day(language, text)
  return given([
    [say('price'), currentPrice(words, contract)],
    [say('next'), dateOf(contract.next_billing_date)],
    [say('resumes'), dateOf(contract.resumes_at)],
    [say('ended'), dateOf(contract.cancelled_date)],
    [say('offer'), contract.offer?.status === 'Active' && contract.offer.offer.name]
  ])
}

/** The words on a button that pauses. */
export const pauseWord = ({ say, language }: Words<'account'>, days: number | null): string =>
  days === null ? say('pause') : `${say('pause')} (${duration(language, 'DAY', days)})`
