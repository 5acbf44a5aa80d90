/** Texts of one language, by their keys. */
export type Texts<Key extends string> = Readonly<Record<Key, string>>
/** Files of other languages than English, by their codes. */
export type Languages<Key extends string> = Readonly<Record<string, () => Promise<{ default: Texts<Key> }>>>

export type Wording<Key extends string> = {
  /** The words of an element: its attribute `text-<key>`, else those of the language, with `{name}` filled in. */
  say: (key: Key, values?: Record<string, string>) => string
  /** For numbers and dates. */
  language: string
  /** Null where it is as in the page. */
  direction: 'rtl' | null
}

/** Nobody waits longer for words of their own language. */
const LIMIT_MS = 3_000

/** The words of an element in the language of its place in the page; English where there are none, or they do not come. */
export async function wordingOf<Key extends string>(
  element: Element,
  english: Texts<Key>,
  languages: Languages<Key>
): Promise<Wording<Key>> {
  const tag = (element.closest('[lang]')?.getAttribute('lang') || navigator.language).replaceAll('_', '-')
  const code = tag.toLowerCase().split('-')[0]!
  const load = Object.hasOwn(languages, code) ? languages[code] : undefined
  const late = new Promise<null>((resolve) => setTimeout(resolve, LIMIT_MS, null))
  const loaded = load && (await Promise.race([load().catch(() => null), late]))
  const texts = { ...english, ...loaded?.default }
  return {
    say: (key, values = {}) =>
      (element.getAttribute(`text-${key}`) ?? texts[key]).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? ''),
    language: loaded ? canonical(tag, code) : code === 'en' ? canonical(tag, 'en') : 'en',
    direction: loaded && code === 'ar' ? 'rtl' : null
  }
}

function canonical(tag: string, code: string): string {
  try {
    return new Intl.Locale(tag).toString()
  } catch {
    // A tag such as `de-` is no language, and formats would throw.
    return code
  }
}
