import type { FieldError } from '../api/errors.ts'
import type { Texts } from '../texts/en.ts'

const WITHOUT_SUBJECT = /^(must|may|can|cannot|needs|has|have|is|are|was|holds|names|begins|ends|contains)\b/

/** What is wrong with a field as a sentence at that field: the service leaves the subject out, which is the field. */
export function fieldSentence({ message }: Pick<FieldError, 'message'>, { fields }: Texts['errors']): string {
  for (const [pattern, say] of fields.sentences) {
    const found = pattern.exec(message)
    if (found) return say(...found.slice(1))
  }
  if (WITHOUT_SUBJECT.test(message)) return `This ${message}`
  return message.charAt(0).toUpperCase() + message.slice(1)
}
