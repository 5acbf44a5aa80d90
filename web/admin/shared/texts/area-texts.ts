import { type Language, useLanguage } from './language.tsx'

/** Texts of one area of the interface, which are loaded with its pages: `areaTexts({ en, de })` is the hook that gives those of the person's language. */
export function areaTexts<Texts extends object>(languages: Record<Language, Texts>): () => Texts {
  return function useAreaTexts() {
    return languages[useLanguage().language]
  }
}
