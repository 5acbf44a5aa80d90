import { useTexts } from '../texts/language.tsx'
import { EmptyState } from './empty-state.tsx'

/** A part of a page that there is not. */
export function NoSuchPart() {
  const { errors } = useTexts()
  return <EmptyState title={errors.notFoundTitle} text={errors.notFoundText} />
}
