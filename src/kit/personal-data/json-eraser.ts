import { ERASED, type Person, textEraser } from './person.ts'

/** Fields of our JSON with what a person is called, has and said; `null` where that is allowed, else a word. */
const FIELDS: Record<string, null | typeof ERASED> = {
  email: null,
  customer_email: null,
  first_name: null,
  last_name: null,
  customer_name: null,
  birth_date: null,
  phone: null,
  cancel_comment: null,
  comment: null,
  notes: null,
  note: null,
  action_url: null,
  last_four: null,
  brand: null,
  // What somebody wrote about credit and points.
  reason: ERASED
}

type Json = null | boolean | number | string | Json[] | { [field: string]: Json }

/**
 * Takes a person out of JSON that is about them: the fields with what they are called, and what identifies them in any other text. An
 * object about another customer, as the receiver of a gift, keeps its fields. The shape stays.
 */
export function jsonEraser(person: Person): (value: unknown) => unknown {
  const eraseText = textEraser(person)
  const numbers = new Set(person.customerIds)
  const own = new Set(person.memberIds.flatMap((id) => [`cust_${id}`, `mem_${id}`]))
  const placeholder = `0${person.memberIds[0] ?? ''}`

  const isOfAnother = (object: Record<string, Json>) =>
    typeof object.id === 'string' && /^(cust|mem)_/.test(object.id) && !own.has(object.id)
  const ofPlatform = (text: string) => {
    const number = /(?:^|\/)(\d+)$/.exec(text)?.[1]
    return number !== undefined && numbers.has(number) ? text.slice(0, -number.length) + placeholder : eraseText(text)
  }
  const blank = (value: Json, to: null | string): Json => {
    if (value === null || typeof value !== 'object') return value === null ? null : to
    if (Array.isArray(value)) return value.map((one) => blank(one, to))
    return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, blank(one, to)]))
  }
  const visit = (value: Json, keeps: boolean): Json => {
    if (typeof value === 'string') return ofPlatform(value)
    if (typeof value === 'number') return numbers.has(String(value)) ? 0 : value
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map((one) => visit(one, keeps))
    const keepsHere = keeps || isOfAnother(value)
    return Object.fromEntries(
      Object.entries(value).map(([field, one]) => {
        if (!keepsHere && field in FIELDS) return [field, blank(one, FIELDS[field]!)]
        return [field, visit(one, keepsHere)]
      })
    )
  }
  return (value) => visit(value as Json, false)
}

/** The same for the text of a document; a text that is no JSON is treated as words. */
export function documentEraser(person: Person): (document: string) => string {
  const [erase, eraseText] = [jsonEraser(person), textEraser(person)]
  return (document) => {
    let value: unknown
    try {
      value = JSON.parse(document)
    } catch {
      return eraseText(document)
    }
    return JSON.stringify(erase(value))
  }
}
