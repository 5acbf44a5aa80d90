import { canonicalJson, type JsonField, parseJson } from '#kit/json-fields'
import type { FieldProblem } from '#kit/refusal'

/** The namespace of every metafield of ours (spec 3). */
export const METAFIELD_NAMESPACE = 'svc'

/** What a metafield belongs to. A discount is an automatic discount. */
export const METAFIELD_OWNERS = ['shop', 'customer', 'discount'] as const
export type MetafieldOwner = (typeof METAFIELD_OWNERS)[number]

export type MetafieldType = 'json' | 'number_integer' | 'number_decimal' | 'single_line_text_field'

/** The longest value of a metafield that the platform takes from apps, in bytes. */
export const MAX_METAFIELD_BYTES = 128 * 1024

/** A metafield of ours: where it is, what its value is made of, and what it is for. */
export type Metafield<T> = {
  owner: MetafieldOwner
  key: string
  type: MetafieldType
  /** The name of its definition, which people see in the platform's admin. */
  name: string
  /** What it holds, in a sentence: for the docs. */
  help: string
  field: JsonField<T>
}

/** Declares a metafield. */
export const defineMetafield = <T>(declared: Metafield<T>): Metafield<T> => declared

/** The text that the platform keeps for a value. */
export function encodeMetafield<T>({ type, field }: Metafield<T>, value: T): string {
  const written = field.write(value)
  return type === 'single_line_text_field' ? String(written) : JSON.stringify(written)
}

/** What a text of the platform says: its value, or why it says nothing. */
export type DecodedMetafield<T> = { ok: true; value: T } | { ok: false; problems: FieldProblem[] }

/** Reads a metafield's text. One that was changed by hand may hold anything: then all of its problems are returned. */
export function decodeMetafield<T>({ type, field }: Metafield<T>, text: string): DecodedMetafield<T> {
  // A decimal number stays a text: as a number it would lose its final zeros.
  const given = type === 'single_line_text_field' || type === 'number_decimal' ? text : parseJson(text)
  if (given === undefined)
    return { ok: false, problems: [{ field: 'value', code: 'invalid', message: 'must be JSON' }] }
  return readMetafield({ field }, given)
}

/** Reads JSON that somebody has entered for a metafield. */
export function readMetafield<T>({ field }: Pick<Metafield<T>, 'field'>, given: unknown): DecodedMetafield<T> {
  const problems: FieldProblem[] = []
  const value = field.read(given, { path: '', problems })
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value }
}

/** A text in the one form in which two texts of a metafield are compared: the order of names, spaces and final zeros say nothing. */
export function comparableMetafield(type: string, text: string): string {
  if (type === 'json') return canonicalJson(text)
  return type === 'number_decimal' && text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
