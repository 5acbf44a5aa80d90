import { type JsonField, meaning, textLike, textOf, withDefault } from '#kit/json-fields'

/** A CSS selector. What would end a style or a script of the page is refused: themes put these texts into both. */
export const selector = (what: string): JsonField<string> =>
  meaning(
    what,
    withDefault(textLike('a CSS selector of at most 500 characters, without < { } or ;', /^[^<{};]*$/, 500), '')
  )

/** The name of a theme that the selectors are made for. */
export const themeName = (): JsonField<string> =>
  meaning('The theme that the selectors belong to', withDefault(textOf(255), ''))
