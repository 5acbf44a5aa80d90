import { useLanguage } from './language.tsx'
import { OPERATIONS_DE } from './operations-de.ts'

/** `pauseSubscription` as `Pause subscription`. */
const inWords = (operation: string): string =>
  operation
    .replace(/^./, (first) => first.toUpperCase())
    .replace(/[A-Z]/g, (letter, at) => (at === 0 ? letter : ` ${letter.toLowerCase()}`))

/** Gives the name of an operation in the language of the person. */
export function useOperationName(): (operation: string) => string {
  const { language } = useLanguage()
  return (operation) => (language === 'de' && OPERATIONS_DE[operation]) || inWords(operation)
}
