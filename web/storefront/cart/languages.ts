import type { Words } from './words.ts'

/** Each is a file of its own, which a page in that language loads. */
const LANGUAGES: Record<string, () => Promise<{ default: Words }>> = {
  ar: () => import('./languages/ar.ts'),
  de: () => import('./languages/de.ts'),
  es: () => import('./languages/es.ts'),
  fr: () => import('./languages/fr.ts'),
  it: () => import('./languages/it.ts'),
  ja: () => import('./languages/ja.ts'),
  nl: () => import('./languages/nl.ts'),
  pl: () => import('./languages/pl.ts'),
  pt: () => import('./languages/pt.ts'),
  sv: () => import('./languages/sv.ts')
}

/** Nobody waits longer for words of their own language. */
const LIMIT_MS = 3_000

/** The words of a language; null for English, and where they do not come. A page in English waits for nothing. */
export function wordsIn(locale: string): Promise<Words | null> | null {
  const load = LANGUAGES[locale.slice(0, 2).toLowerCase()]
  if (!load) return null
  const late = new Promise<null>((resolve) => setTimeout(resolve, LIMIT_MS, null))
  return Promise.race([load().then((words) => words.default), late]).catch(() => null)
}
