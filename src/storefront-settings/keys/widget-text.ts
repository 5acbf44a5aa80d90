import { type JsonField, meaning, withDefault } from '#kit/json-fields'
import { placeholderText } from '../placeholders.ts'

const upTo = (max: number) => (what: string) => meaning(what, withDefault(placeholderText(max), ''))

/** Texts of the widgets, which may hold placeholders; '' shows the theme's own. */
export const title: (what: string) => JsonField<string> = upTo(255)
export const shownText = upTo(1000)
export const longText = upTo(5000)
export const buttonText = upTo(100)
