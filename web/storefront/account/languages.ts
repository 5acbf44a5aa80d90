import type { Languages } from '../shared/texts.ts'
import type { TextKey } from './texts.ts'

/** Each is a file of its own, which a page in that language loads. */
export const LANGUAGES: Languages<TextKey> = {
  de: () => import('./languages/de.ts'),
  fr: () => import('./languages/fr.ts'),
  es: () => import('./languages/es.ts'),
  it: () => import('./languages/it.ts'),
  nl: () => import('./languages/nl.ts'),
  pt: () => import('./languages/pt.ts'),
  sv: () => import('./languages/sv.ts'),
  pl: () => import('./languages/pl.ts'),
  ja: () => import('./languages/ja.ts'),
  ar: () => import('./languages/ar.ts')
}
