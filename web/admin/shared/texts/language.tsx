import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react'
import { kept } from '../kept.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'

const LANGUAGES = { en, de } as const
export type Language = keyof typeof LANGUAGES

/** Each language by its own name. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch' }

const KEPT_AS = 'perennial-language'

type Current = {
  language: Language
  /** The language as the browser's owner writes it, `en-GB`: for dates and numbers. */
  locale: string
  texts: Texts
  setLanguage: (language: Language) => void
}

const LanguageContext = createContext<Current | null>(null)

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(chosenLanguage)
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  const current = useMemo<Current>(
    () => ({
      language,
      locale: navigator.languages.find((tag) => languageOf(tag) === language && isLocale(tag)) ?? language,
      texts: LANGUAGES[language],
      setLanguage(next) {
        kept.set(KEPT_AS, next)
        setLanguage(next)
      }
    }),
    [language]
  )
  return <LanguageContext value={current}>{children}</LanguageContext>
}

export function useLanguage(): Current {
  const current = use(LanguageContext)
  if (!current) throw new Error('There is no LanguageProvider around this component')
  return current
}

export const useTexts = (): Texts => useLanguage().texts

/** Some systems name a language as no standard does, such as `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

const languageOf = (tag: string) => tag.slice(0, 2)

/** What was chosen before, else the first language of the browser that we have. */
function chosenLanguage(): Language {
  const wanted = [kept.get(KEPT_AS) ?? '', ...navigator.languages].map(languageOf)
  return wanted.find((tag): tag is Language => tag in LANGUAGES) ?? 'en'
}
