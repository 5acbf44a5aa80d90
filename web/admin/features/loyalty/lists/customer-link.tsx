import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../../shared/api/stores.ts'

/** The way to the page of a customer. `platform`: the number of the platform, where it is known. */
export function CustomerLink({ customer, platform }: { customer: string; platform?: string | null }) {
  const { id } = useKnownStore()
  return (
    <Anchor component={Link} to={`/stores/${id}/members/${platform ?? customer}`} size="sm">
      {customer}
    </Anchor>
  )
}
