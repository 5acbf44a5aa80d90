// The texts of the customer-account extension: those of the elements, by their part, besides its own, which are written in its files.
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

type Texts = Record<string, string>
export type Locale = { page: Texts; account: Texts; cancel: Texts }

export const LANGUAGES = ['en', 'ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt', 'sv']
/** Of parts of the elements that the extension has not. */
const ONLY_IN_ELEMENTS = new Set(['account.days', 'account.method', 'account.join', 'cancel.choose', 'cancel.none'])

const root = new URL('../', import.meta.url)

export const localeFile = (language: string): string =>
  fileURLToPath(
    new URL(`extensions/customer-account/locales/${language === 'en' ? 'en.default' : language}.json`, root)
  )

/** What the file of a language has to be: its own texts as they are, and those of the elements with the platform's placeholders. */
export async function localeOf(language: string): Promise<Locale> {
  const { page } = JSON.parse(await readFile(localeFile(language), 'utf8'))
  return { page, account: await textsOf('account', language), cancel: await textsOf('cancel', language) }
}

async function textsOf(part: 'account' | 'cancel', language: string): Promise<Texts> {
  const file = language === 'en' ? 'texts' : `languages/${language}`
  const module = await import(new URL(`web/storefront/${part}/${file}.ts`, root).href)
  const texts: Texts = module.default ?? module.ENGLISH
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([key]) => !ONLY_IN_ELEMENTS.has(`${part}.${key}`))
      .map(([key, text]) => [key, text.replace(/\{(\w+)\}/g, '{{$1}}')])
  )
}
